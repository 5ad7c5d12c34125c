"""bench/ceiling from the command line to its table: that it measures what it says, not how fast anything is."""

import json
import shutil
import subprocess
import sys
import unittest

from harness import BUILD, ROOT, SANITIZED, Case, main

CEILING = str(ROOT / "bench" / "ceiling")


@unittest.skipIf(SANITIZED, "sanitised programs have other costs")
class Ceiling(Case):
    @classmethod
    def setUpClass(cls):
        # Not part of `all`.
        subprocess.run(["cmake", "--build", BUILD, "--target", "null-server"], check=True, capture_output=True)

    def ceiling(self, *words, code=0):
        run = self.program(*words, program=CEILING, env={"WEIGHBRIDGE_BUILD_DIR": str(BUILD)})
        self.assertEqual(run.code, code, run)
        return run

    def test_weighs_a_row_from_outside_and_counts_calls_at_the_server(self):
        run = self.ceiling("--quick", "--only", "stdio-200", "--json")
        result = json.loads(run.out)
        (row,) = result["rows"]
        self.assertEqual((row["id"], row["verdict"]), ("stdio-200", "not judged: quick run"))
        self.assertEqual(row["values"]["rates"]["count"], 3)
        self.assertGreater(row["values"]["rates"]["low"], 0)
        self.assertGreater(row["values"]["fixed_cpu_seconds"]["ours"], 0)

    @unittest.skipUnless(shutil.which("wrk"), "wrk is not installed")
    def test_draws_a_table_of_ratios_to_wrk(self):
        run = self.ceiling("--quick", "--only", "cpu-200", "--tools", "wrk")
        heads, _, row, *_ = run.out.splitlines()
        self.assertEqual(len(heads.split("|")), len(row.split("|")))
        self.assertRegex(row, r"\| `cpu-200` \| .* \| [\d.]+ \| [\d.]+ \| [\d.]+ \[[\d.]+, [\d.]+\] \| ≤ 0.9 \|")
        self.assertIn("quick: not to be quoted", run.out)

    def test_says_what_there_is_to_choose_from(self):
        for words, expected in ((["--only", "cpu-201"], "cpu-200"), (["--tools", "wrk2"], "autocannon")):
            run = self.ceiling(*words, code=2)
            self.assertIn(f"no {'row' if '--only' in words else 'tool'} is called {words[1]}", run.err)
            self.assertIn(expected, run.err)


class Spread(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(ROOT / "bench"))

    def test_of_ten_values_is_the_second_and_the_ninth(self):
        from yardstick.spread import spread
        ten = spread([10, 3, 8, 1, 7, 2, 9, 4, 6, 5])
        self.assertEqual((ten.median, ten.low, ten.high), (5.5, 2, 9))
        self.assertAlmostEqual(ten.confidence, 1 - 2 * 11 / 1024)

    def test_of_few_values_claims_no_more_than_their_extremes_hold(self):
        from yardstick.spread import spread
        self.assertEqual(spread([]), None)
        three = spread([3, 1, 2])
        self.assertEqual((three.low, three.high, three.confidence), (1, 3, 0.75))

    def test_of_ratios_treats_a_ratio_and_its_inverse_alike(self):
        from yardstick.spread import ratio_spread
        self.assertAlmostEqual(ratio_spread([(1, 2), (2, 1)]).median, 1)


main()
