"""Certificates for the tests of TLS."""

import pathlib
import subprocess
import tempfile


class Certificates:
    """An authority and what it has signed, made anew: certificates in a repository run out."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weighbridge-test-"))
        self.authority = self._self_signed("authority", "subjectAltName=DNS:authority.test",
                                           "-addext", "keyUsage=critical,keyCertSign")
        self.self_signed = self._self_signed("self", "subjectAltName=IP:127.0.0.1")
        names = "subjectAltName=IP:127.0.0.1,DNS:localhost"
        self.good = self._signed("good", names)
        self.expired = self._signed("expired", names, start="20240101000000Z", end="20240301000000Z")
        self.elsewhere = self._signed("elsewhere", "subjectAltName=DNS:other.test,IP:192.0.2.7")

    def _openssl(self, *words):
        done = subprocess.run(["openssl", *map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0, done.stderr

    def _self_signed(self, name, extension, *more):
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                      "-subj", f"/CN={name}", "-days", 2, "-addext", extension, *more,
                      "-keyout", f"{name}.key", "-out", f"{name}.crt")
        return self._joined(name)

    def _signed(self, name, extension, start=None, end=None):
        (self.folder / "ca.cnf").write_text("""
            [ca]
            default_ca = here
            [here]
            database = index.txt
            rand_serial = yes
            new_certs_dir = .
            default_md = sha256
            default_days = 2
            policy = any
            unique_subject = no
            [any]
            commonName = supplied
            """, encoding="utf-8")
        (self.folder / "index.txt").touch()
        (self.folder / f"{name}.cnf").write_text(extension + "\n", encoding="utf-8")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                      "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        dates = ["-startdate", start, "-enddate", end] if start else []
        self._openssl("ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "authority.crt",
                      "-keyfile", "authority.key", "-extfile", f"{name}.cnf", *dates,
                      "-in", f"{name}.csr", "-out", f"{name}.crt")
        return self._joined(name)

    def _joined(self, name):
        pem = self.folder / f"{name}.pem"
        pem.write_text((self.folder / f"{name}.crt").read_text() + (self.folder / f"{name}.key").read_text())
        return pem
