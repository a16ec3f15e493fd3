"""A suite whose cases are claims that hold or not, and command lines that are refused."""

from harness import Suite


class Claims(Suite):
    def check(self, holds, case):
        super().check(case, None if holds else "it is not so")

    def refused(self, result, code, message):
        wrong = result.crash or (f"exit {result.code}: {result.message}" if result.code != code or message not in result.message else None)
        super().check(f"refused with {code}: {message}", wrong)
