"""The Python of docs/guide.md and the example, run as they stand."""

import contextlib
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(os.environ["LOOKALIKE_PROGRAMS"])
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Documents(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="lookalike-python-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        draw = [PROGRAMS / "lookalike-example"]
        photos = self.folder / "photos"
        subprocess.run([*draw, "posters", "--count", "4", "--output", photos], check=True)
        for number in range(4):
            (photos / f"poster-0{number}.png").rename(photos / f"0{number}.png")
        subprocess.run(
            [*draw, "crop", "--angle", "20", "--output", self.folder / "shelf.png", photos / "02.png"],
            check=True,
        )

    def test_the_guide(self):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide.md").read_text(), re.DOTALL)
        self.assertEqual(len(blocks), 3)
        printed = io.StringIO()
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                for block in blocks:
                    exec(compile(block, "docs/guide.md", "exec"), {})
        finally:
            os.chdir(before)
        self.assertIn("4 indexed, 0 of no use", printed.getvalue())
        self.assertRegex(printed.getvalue(), r"1 same_object 1\.000 \S*photos/02\.png")
        self.assertRegex(printed.getvalue(), r"nothing\.png .*nothing\.png")
        self.assertIn("2 added, 0 of no use\n2 removed", printed.getvalue())
        self.assertRegex(printed.getvalue(), r"\d+ pairs, \d\d+ agree")

    def test_the_example(self):
        try:
            import cv2
        except ImportError:
            self.skipTest("the example draws with OpenCV (package python3-opencv)")
        example = ROOT / "tools/python/example/find_photos.py"
        out = self.folder / "out"
        ran = subprocess.run(
            [sys.executable, example, self.folder / "photos", out, self.folder / "shelf.png"],
            check=True, capture_output=True, text=True,
        )
        self.assertRegex(ran.stdout, r"shelf\.png: \S*shelf-found\.png")
        self.assertRegex(ran.stdout, r"decision +yes")
        photo, drawn = cv2.imread(str(self.folder / "shelf.png")), cv2.imread(str(out / "shelf-found.png"))
        self.assertEqual(photo.shape, drawn.shape)
        self.assertGreater((photo != drawn).sum(), 500)
        with open(out / "found.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(rows[0]["decision"], "same_object")
        self.assertTrue(rows[0]["image"].endswith("photos/02.png"))


if __name__ == "__main__":
    unittest.main()
