"""What bench/ceiling is made of: the host, the tools, the experiments and the table."""
