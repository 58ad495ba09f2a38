"""The Python module, on drawn posters: python3 -m unittest, with the module in PYTHONPATH.

LOOKALIKE_PROGRAMS is the folder of the built programs."""

import collections
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import numpy as np

import lookalike

PROGRAMS = pathlib.Path(os.environ["LOOKALIKE_PROGRAMS"])


def draw(*arguments):
    subprocess.run([PROGRAMS / "lookalike-example", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def with_date(jpeg, date):
    """Adds EXIF's DateTimeOriginal, in a directory of its own, to a JPEG file."""
    directory = struct.Struct("<HHHIII")  # of one entry: tag, type, count, value; no next directory
    text = date.encode() + b"\0"
    exif = b"Exif\0\0II*\0" + struct.pack("<I", 8)
    exif += directory.pack(1, 0x8769, 4, 1, 26, 0) + directory.pack(1, 0x9003, 2, len(text), 44, 0) + text
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


class WithIndex(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="lookalike-python-")
        cls.folder = pathlib.Path(cls.scratch.name)
        draw("posters", "--count", 4, "--output", cls.folder / "posters")
        draw("posters", "--count", 1, "--seed", 99, "--output", cls.folder / "others")
        draw("crop", "--angle", 30, "--output", cls.folder / "crop.jpg", cls.poster(2))
        (cls.folder / "posters" / "broken.jpg").write_text("no photo")
        cls.database = cls.folder / "index.db"
        cls.heard = []
        cls.update = lookalike.update_index(
            cls.database, [cls.folder / "posters"], progress=lambda *heard: cls.heard.append(heard)
        )

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def poster(cls, number):
        return cls.folder / "posters" / f"poster-0{number}.png"

    @classmethod
    def pixels(cls, finder, number):
        """The pixels of a poster in RGB."""
        return finder.thumbnail(finder.get(cls.poster(number)).id, 100_000)


class UpdateIndex(WithIndex):
    def test_says_what_it_did(self):
        self.assertEqual(self.update.indexed, 4)
        self.assertFalse(self.update.stopped)
        self.assertEqual(
            [(one.path, one.reason) for one in self.update.unused],
            [(str(self.folder / "posters" / "broken.jpg"), "undecodable")],
        )
        again = lookalike.update_index(self.database)
        self.assertEqual((again.indexed, again.unchanged), (0, 4))

    def test_tells_its_progress(self):
        steps = {step for step, _, _ in self.heard}
        self.assertTrue(any("scan" in step for step in steps), steps)
        self.assertTrue(any("index" in step for step in steps), steps)
        step, done, total = self.heard[-1]
        self.assertEqual(done, total, step)

    def test_stops_on_request(self):
        stopped = lookalike.update_index(
            self.folder / "stopped.db", [self.folder / "posters"], stop=lambda: True
        )
        self.assertTrue(stopped.stopped)
        self.assertEqual(stopped.indexed, 0)

    def test_what_callbacks_raise_ends_the_run_and_is_raised(self):
        def fail(*_):
            raise KeyError("of the caller")

        for how in ({"stop": fail}, {"progress": fail}):
            with self.assertRaises(KeyError):
                lookalike.update_index(self.folder / "raised.db", [self.folder / "posters"], **how)
        self.assertEqual(lookalike.update_index(self.folder / "raised.db", [self.folder / "posters"]).indexed, 4)

    def test_ctrl_c_stops_it(self):
        def interrupt(*_):
            signal.raise_signal(signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            lookalike.update_index(
                self.folder / "interrupted.db", [self.folder / "posters"], progress=interrupt
            )
        self.assertEqual(lookalike.update_index(self.folder / "interrupted.db", [self.folder / "posters"]).indexed, 4)

    def test_one_path_is_no_list(self):
        with self.assertRaises(lookalike.UsageError):
            lookalike.update_index(self.folder / "one.db", str(self.folder / "posters"))

    def test_removes_what_is_named_or_nothing(self):
        database = self.folder / "removed.db"
        lookalike.update_index(database, [self.folder / "posters", self.folder / "others"])
        with self.assertRaises(lookalike.InputError):
            lookalike.remove(database, [self.poster(0), self.folder / "nowhere.png"])
        self.assertEqual(lookalike.remove(database, [self.folder / "others", self.poster(1)]), 2)
        with lookalike.Finder(database) as finder:
            self.assertIsNone(finder.get(self.poster(1)))
            self.assertIsNotNone(finder.get(self.poster(0)))
        with self.assertRaises(lookalike.InputError):
            lookalike.remove(self.folder / "no.db", [self.poster(0)])
        self.assertFalse((self.folder / "no.db").exists())


class Add(WithIndex):
    """Images without files, in a copy of the index that lacks the file of poster 2."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with lookalike.Finder(cls.database) as finder:
            cls.posters = [cls.pixels(finder, number) for number in range(4)]

    def setUp(self):
        self.added = self.folder / "added.db"
        shutil.copy(self.database, self.added)
        lookalike.remove(self.added, [self.poster(2)])

    def found(self):
        """The first match of the turned crop of poster 2."""
        with lookalike.Finder(self.added) as finder:
            found = finder.find(self.folder / "crop.jpg")
        return found[0] if found else None

    def test_an_array_is_found_by_its_name_until_it_is_removed(self):
        lookalike.add(self.added, "shelf/7", self.posters[2])
        found = self.found()
        self.assertEqual((found.path, found.paths, found.decision), ("shelf/7", ("shelf/7",), "same_object"))
        self.assertIsNone(found.correlation)
        self.assertEqual((found.quad.shape, found.taken), ((4, 2), ""))
        with lookalike.Finder(self.added) as finder:
            self.assertEqual(finder.get("shelf/7").id, found.id)
            with self.assertRaises(lookalike.InputError):
                finder.thumbnail(found.id, 64)
        self.assertEqual(lookalike.remove(self.added, ["shelf/7"]), 1)
        self.assertNotEqual(self.found() and self.found().path, "shelf/7")
        with self.assertRaises(lookalike.InputError):
            lookalike.remove(self.added, ["shelf/7"])

    def test_a_name_gets_another_image(self):
        lookalike.add(self.added, "7", self.posters[2])
        lookalike.add(self.added, "7", self.posters[3][:, :, 1])
        self.assertNotEqual(self.found() and self.found().path, "7")
        with lookalike.Finder(self.added) as finder:
            found = finder.find(self.posters[3][::-1, ::-1])
            self.assertIn("7", [path for one in found for path in one.paths])
        again = lookalike.add_many(self.added, {"7": self.posters[3][:, :, 1]})
        self.assertEqual((again.indexed, again.unchanged), (0, 1))

    def test_runs_over_folders_leave_names_alone(self):
        lookalike.add(self.added, "7", self.posters[2])
        update = lookalike.update_index(self.added)
        self.assertEqual((update.indexed, update.removed, update.withheld), (1, 0, 0))  # the file comes back
        with lookalike.Finder(self.added) as finder:
            self.assertIsNotNone(finder.get("7"))
        self.assertEqual(lookalike.duplicates(self.added), [])

    def test_many_train_an_index_of_their_own(self):
        asked = []

        class OnDemand(collections.UserDict):
            def __getitem__(self, name):
                asked.append(name)
                return super().__getitem__(name)

        images = {f"poster {number}": pixels for number, pixels in enumerate(self.posters)}
        self.added = self.folder / "of-arrays.db"
        update = lookalike.add_many(self.added, OnDemand(images, broken=b"no photo"))
        self.assertEqual((update.indexed, update.stopped), (4, False))
        self.assertEqual([(one.path, one.reason) for one in update.unused], [("broken", "undecodable")])
        self.assertEqual(set(asked), {*images, "broken"})
        self.assertEqual(self.found().paths, ("poster 2",))

    def test_is_refused_while_a_run_writes_the_index(self):
        def second():
            with self.assertRaises(lookalike.StorageError):
                lookalike.add(self.added, "7", self.posters[2])
            return True

        self.assertTrue(lookalike.update_index(self.added, stop=second).stopped)

    def test_what_the_mapping_raises_ends_the_run_and_is_raised(self):
        class Failing(collections.UserDict):
            def __getitem__(self, name):
                raise OSError(f"of the caller: {name}")

        with self.assertRaisesRegex(OSError, "of the caller"):
            lookalike.add_many(self.added, Failing({str(number): None for number in range(40)}))

    def test_refuses_what_is_wrong_and_adds_nothing(self):
        image = self.posters[2]
        for name in ("", "/shelf", "scan[2]", "two\nlines", "nul\0", b"bytes"):
            with self.subTest(name=name):
                with self.assertRaises((lookalike.UsageError, ValueError)):
                    lookalike.add_many(self.added, {"good": image, name: image})
        for kind, wrong in [
            (lookalike.UsageError, image.astype(float)),
            (lookalike.InputError, image[:8, :8]),
            (TypeError, 42),
        ]:
            with self.subTest(kind=kind):
                with self.assertRaises(kind):
                    lookalike.add(self.added, "good", wrong)
                if kind is not lookalike.InputError:
                    with self.assertRaises(kind):
                        lookalike.add_many(self.added, {"good": wrong})
        with self.assertRaises(lookalike.UsageError):
            lookalike.add_many(self.added, [("good", image)])
        with self.assertRaises(lookalike.InputError):  # one image is too few to train words
            lookalike.add(self.folder / "none.db", "good", image)
        self.assertFalse((self.folder / "none.db").exists())
        with lookalike.Finder(self.added) as finder:
            self.assertIsNone(finder.get("good"))


class Find(WithIndex):
    def setUp(self):
        self.finder = lookalike.Finder(self.database)

    def tearDown(self):
        self.finder.close()

    def test_finds_the_file_itself(self):
        found = self.finder.find(self.poster(1))[0]
        self.assertEqual(found.path, str(self.poster(1)))
        self.assertEqual(found.paths, (str(self.poster(1)),))
        self.assertEqual((found.decision, found.place, found.mirrored), ("duplicate", 1, False))
        self.assertGreater(found.probability, 0.9)
        self.assertGreater(found.correlation, 0.99)
        self.assertEqual((found.quad.shape, found.quad.dtype), ((4, 2), np.float64))
        np.testing.assert_allclose(found.quad[0], [0, 0], atol=1)
        self.assertIn("effective_inliers", found.evidence)
        self.assertEqual((found.taken, found.camera), ("", ""))

    def test_paths_bytes_and_pixels_are_one_photo(self):
        by_path = self.finder.find(self.folder / "crop.jpg")
        self.assertEqual((by_path[0].path, by_path[0].decision), (str(self.poster(2)), "same_object"))
        self.assertEqual(self.finder.find(str(self.folder / "crop.jpg")), by_path)
        self.assertEqual(self.finder.find((self.folder / "crop.jpg").read_bytes()), by_path)
        pixels = self.pixels(self.finder, 3)
        self.assertEqual((pixels.dtype, pixels.ndim, pixels.shape[2]), (np.uint8, 3, 3))
        by_pixels = self.finder.find(pixels)
        self.assertEqual(by_pixels[0].path, str(self.poster(3)))
        self.assertEqual(by_pixels[0].decision, "duplicate")
        # Any strides, and grey.
        self.assertEqual(self.finder.find(np.asfortranarray(pixels)), by_pixels)
        gray = np.ascontiguousarray(pixels[:, :, 1])
        self.assertEqual(self.finder.find(gray)[0].path, str(self.poster(3)))

    def test_colours_are_red_green_blue(self):
        # The same poster with red and blue exchanged differs from the indexed one.
        pixels = self.pixels(self.finder, 3)
        self.assertEqual(self.finder.find(pixels)[0].decision, "duplicate")
        self.assertNotEqual(self.finder.find(pixels[:, :, ::-1])[0].decision, "duplicate")

    def test_a_region_is_looked_up_alone_in_px_of_the_photo(self):
        one, other = self.pixels(self.finder, 0), self.pixels(self.finder, 1)
        height = min(one.shape[0], other.shape[0])
        both = np.concatenate([one[:height], other[:height]], axis=1)
        left = one.shape[1]
        region = (left, 0, other.shape[1], height)
        found = self.finder.find(both, region=region)
        self.assertEqual({one.path for one in found if one.probability > 0.9}, {str(self.poster(1))})
        np.testing.assert_allclose(found[0].quad[0], [left, 0], atol=3)
        with self.assertRaises(lookalike.InputError):
            self.finder.find(both, region=(left, 0, left + other.shape[1], height))
        with self.assertRaises(lookalike.UsageError):
            self.finder.find(both, region=(0, 0, 8, 8))

    def test_top_and_mirror_hold_for_one_search(self):
        mirrored = np.ascontiguousarray(self.pixels(self.finder, 1)[:, ::-1])
        sure = [one for one in self.finder.find(mirrored) if one.probability > 0.9]
        self.assertEqual(sure, [])
        found = self.finder.find(mirrored, mirror=True)[0]
        self.assertEqual((found.path, found.mirrored), (str(self.poster(1)), True))
        all_of = lookalike.Finder(self.database, match_min_decision="all")
        self.assertEqual({one.place for one in all_of.find(self.poster(0), top=2)}, {1, 2})

    def test_many_are_answered_lazily_in_order_with_one_error_each(self):
        taken = []
        count = 4 * len(os.sched_getaffinity(0)) + 4  # more than are taken ahead

        def photos():
            for number in range(count):
                taken.append(number)
                yield self.poster(number % 4) if number != 1 else self.folder / "nothing.jpg"

        answers = self.finder.find_many(photos())
        first = next(answers)
        self.assertLess(len(taken), count)
        answers = [first, *answers]
        self.assertEqual(len(answers), count)
        for number, answer in enumerate(answers):
            if number == 1:
                self.assertIsInstance(answer.error, lookalike.InputError)
                self.assertIn("nothing.jpg", str(answer.error))
                self.assertEqual(answer.found, ())
            else:
                self.assertIsNone(answer.error)
                self.assertEqual(answer.found[0].path, str(self.poster(number % 4)))
                self.assertEqual(answer.photo, self.poster(number % 4))

    def test_no_place_to_answer_is_an_error_at_once(self):
        with self.assertRaises(lookalike.UsageError):
            self.finder.find_many([], top=0)

    def test_the_origin_of_files_may_be_left_unread(self):
        dated = self.folder / "dated.db"
        photo = self.folder / "dated" / "photo.jpg"
        photo.parent.mkdir()
        photo.write_bytes(with_date((self.folder / "crop.jpg").read_bytes(), "2019:07:14 12:30:05"))
        lookalike.update_index(dated, [photo.parent])
        with lookalike.Finder(dated) as finder:
            self.assertEqual(finder.find(photo)[0].taken, "2019-07-14T12:30:05")
            self.assertEqual(finder.find(photo, origin=False)[0].taken, "")

    def test_images_are_listed_by_number(self):
        images = list(self.finder.images())
        self.assertEqual([image.id for image in images], sorted(image.id for image in images))
        self.assertEqual({image.paths for image in images}, {(str(self.poster(n)),) for n in range(4)})
        for image in images:
            self.assertEqual(self.finder.get(image.id), image)
            self.assertEqual(self.finder.get(image.paths[0]), image)
            self.assertGreater(image.features, 0)
            self.assertEqual(self.pixels(self.finder, int(image.paths[0][-5])).shape[:2], (image.height, image.width))
        self.assertEqual(self.finder.get(np.int64(images[0].id)), images[0])
        self.assertIsNone(self.finder.get(10_000))
        self.assertIsNone(self.finder.get(-1))
        self.assertIsNone(self.finder.get(10**30))
        self.assertIsNone(self.finder.get("/nowhere.png"))

    def test_thumbnails_have_a_longest_side(self):
        self.assertEqual(max(self.finder.thumbnail(self.finder.get(self.poster(0)).id, 64).shape), 64)
        with self.assertRaises(lookalike.InputError):
            self.finder.thumbnail(10_000, 64)

    def test_explains(self):
        why = self.finder.explain(self.folder / "crop.jpg", self.finder.get(self.poster(2)).id)
        self.assertEqual(why["decision"], "same_object")
        self.assertEqual(why["steps"][0]["step"], "features")
        with self.assertRaises(lookalike.InputError):
            self.finder.explain(self.folder / "crop.jpg", 10_000)

    def test_a_closed_finder_says_so(self):
        with lookalike.Finder(self.database) as finder:
            pass
        with self.assertRaisesRegex(lookalike.UsageError, "closed"):
            finder.find(self.poster(0))

    def test_other_threads_run_meanwhile(self):
        counted = []
        done = threading.Event()

        def count():
            while not done.is_set():
                counted.append(time.monotonic())
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        before = time.monotonic()
        self.finder.find(self.folder / "crop.jpg")
        after = time.monotonic()
        done.set()
        thread.join()
        self.assertGreater(len([at for at in counted if before < at < after]), 3)


class Duplicates(WithIndex):
    def test_groups_and_rejections(self):
        copy = self.folder / "posters" / "copy.png"
        copy.write_bytes(self.poster(0).read_bytes())
        halved = self.folder / "posters" / "halved.jpg"
        draw("crop", "--angle", 0, "--output", halved, self.poster(1))
        lookalike.update_index(self.database)
        groups = lookalike.duplicates(self.database, kinds=["exact"])
        self.assertEqual(len(groups), 1)
        self.assertEqual({one["path"] for one in groups[0]["files"]}, {str(copy), str(self.poster(0))})
        heard = []
        groups = lookalike.duplicates(self.database, progress=lambda *step: heard.append(step))
        self.assertEqual(len(groups), 2)
        self.assertEqual(heard[-1][0], "compare")
        self.assertTrue(lookalike.reject(self.database, halved, self.poster(1)))
        self.assertFalse(lookalike.reject(self.database, halved, self.poster(1)))
        self.assertEqual(len(lookalike.duplicates(self.database)), 1)
        with lookalike.Finder(self.database) as finder:
            self.assertIn(True, [one.rejected for one in finder.find(halved)])
        self.assertTrue(lookalike.reject(self.database, halved, self.poster(1), undo=True))
        self.assertEqual(len(lookalike.duplicates(self.database)), 2)

    def test_stops_and_refuses(self):
        database = self.folder / "fresh.db"
        lookalike.update_index(database, [self.folder / "posters"])
        self.assertIsNone(lookalike.duplicates(database, stop=lambda: True))
        with self.assertRaisesRegex(lookalike.UsageError, "kinds"):
            lookalike.duplicates(database, kinds=["alike"])
        with self.assertRaises(lookalike.InputError):
            lookalike.reject(database, self.poster(0), "/nowhere.png")


class Evaluate(WithIndex):
    def test_measures_against_ground_truth(self):
        truth = self.folder / "truth.csv"
        truth.write_text("query,relevant\ncrop.jpg,posters/poster-02.png\n")
        heard = []
        measures = lookalike.evaluate(
            self.database, truth, progress=lambda *step: heard.append(step)
        )
        self.assertEqual((measures["queries"], measures["recall_at_1"]), (1, 1))
        self.assertEqual(measures["threshold"]["error_rate"], 0.01)
        self.assertEqual(measures["threshold"]["kept"], 1)
        self.assertEqual(heard, [("queries", 1, 1)])
        self.assertIsNone(lookalike.evaluate(self.database, truth, stop=lambda: True))
        truth.write_text("query,relevant\ncrop.jpg,nowhere.png\n")
        with self.assertRaises(lookalike.InputError):
            lookalike.evaluate(self.database, truth)


class Pictures(WithIndex):
    def test_features_have_the_form_of_opencvs(self):
        features = lookalike.extract(self.poster(0))
        keypoints, descriptors = features
        self.assertEqual(keypoints.shape, (len(features), 7))
        self.assertEqual(descriptors.shape, (len(features), 64))
        self.assertEqual((keypoints.dtype, descriptors.dtype), (np.float32, np.float32))
        self.assertTrue((np.diff(keypoints[:, 4]) <= 0).all())  # strongest first
        self.assertTrue((keypoints[:, 0] < features.width).all())
        self.assertTrue((keypoints[:, 1] < features.height).all())
        few = lookalike.extract(self.poster(0), extract_max_features=50, extract_descriptor_size=128)
        self.assertEqual(few.descriptors.shape, (50, 128))

    def test_matches_map_one_photo_to_the_other(self):
        with lookalike.Finder(self.database) as finder:
            pixels = self.pixels(finder, 0)
        left, top = 40, 20
        one = lookalike.extract(pixels)
        cut = lookalike.extract(pixels[top:, left:])
        pairs, homography, inliers = lookalike.match(one, cut)
        self.assertEqual((pairs.shape[1], inliers.shape), (2, (len(pairs),)))
        self.assertGreater(inliers.sum(), 20)
        np.testing.assert_allclose(homography @ [left, top, 1], [0, 0, homography[2] @ [left, top, 1]], atol=1)
        at = one.keypoints[pairs[inliers, 0], :2] - cut.keypoints[pairs[inliers, 1], :2]
        np.testing.assert_allclose(np.median(at, axis=0), [left, top], atol=0.5)
        same = lookalike.match(pixels, pixels[top:, left:])
        np.testing.assert_array_equal(same.pairs, pairs)

    def test_photos_of_other_things_do_not_match(self):
        flat = np.full((64, 64), 100, np.uint8)
        pairs, homography, inliers = lookalike.match(self.poster(0), flat)
        self.assertEqual((len(pairs), homography, len(inliers)), (0, None, 0))

    def test_features_of_other_forms_are_refused(self):
        one = lookalike.extract(self.poster(0))
        other = lookalike.extract(self.poster(1), extract_descriptor_size=128)
        with self.assertRaises(lookalike.UsageError):
            lookalike.match(one, other)
        with self.assertRaises(lookalike.UsageError):
            lookalike.match(one, lookalike.Features(one.keypoints[:, :4], one.descriptors, 10, 10))
        for column, value in ((2, 0), (0, np.nan), (3, np.inf)):
            keypoints = one.keypoints.copy()
            keypoints[0, column] = value
            with self.assertRaises(lookalike.UsageError):
                lookalike.match(one, lookalike.Features(keypoints, one.descriptors, 10, 10))

    def test_locates_an_object(self):
        with lookalike.Finder(self.database) as finder:
            pixels = self.pixels(finder, 0)
        hits = lookalike.locate(pixels[30:170, 50:210], pixels)
        self.assertEqual(len(hits), 1)
        np.testing.assert_allclose(hits[0].quad, [[50, 30], [210, 30], [210, 170], [50, 170]], atol=1)
        self.assertAlmostEqual(hits[0].scale, 1, delta=0.01)
        with lookalike.Finder(self.database) as finder:
            self.assertEqual(lookalike.locate(pixels[30:170, 50:210], self.pixels(finder, 1)), [])


class Failures(WithIndex):
    def test_each_kind_has_its_class(self):
        finder = lookalike.Finder(self.database)
        for kind, call in [
            (lookalike.InputError, lambda: lookalike.Finder(self.folder / "nothing.db")),
            (lookalike.InputError, lambda: finder.find(self.folder / "posters" / "broken.jpg")),
            (lookalike.InputError, lambda: finder.find(b"")),
            (lookalike.UsageError, lambda: lookalike.Finder(self.database, match_tpo=2)),
            (lookalike.UsageError, lambda: finder.find(np.zeros((40, 40), np.float32))),
            (lookalike.UsageError, lambda: finder.find(np.zeros((40, 40, 4), np.uint8))),
            (lookalike.UsageError, lambda: finder.find(np.zeros((0, 40), np.uint8))),
            (lookalike.UsageError, lambda: finder.find(self.poster(0), top=0)),
            (lookalike.UsageError, lambda: finder.find(self.poster(0), top=-1)),
            (lookalike.UsageError, lambda: finder.find_many(str(self.poster(0)))),
            (lookalike.UsageError, lambda: lookalike.duplicates(self.database, kinds="exact")),
            (lookalike.InputError, lambda: finder.thumbnail(-1, 64)),
            (lookalike.DeviceError, lambda: lookalike.Finder(self.database, device_choice="::none-such")),
        ]:
            with self.subTest(kind=kind):
                with self.assertRaises(kind) as caught:
                    call()
                self.assertIsInstance(caught.exception, lookalike.Error)
        self.assertTrue(issubclass(lookalike.UsageError, ValueError))
        with self.assertRaises(TypeError):
            finder.find(42)
        with self.assertRaises(MemoryError):  # for the copy with contiguous rows
            finder.find(np.broadcast_to(np.uint8(0), (10**9, 10**9)))

    def test_a_run_beside_another_one_is_refused(self):
        refused = []

        def second():
            try:
                lookalike.update_index(self.folder / "busy.db", [self.folder / "posters"])
            except lookalike.StorageError as error:
                refused.append(str(error))
            return True

        lookalike.update_index(self.folder / "busy.db", [self.folder / "posters"], stop=second)
        self.assertTrue(refused)

    def test_names_need_not_be_text(self):
        name = os.fsencode(self.folder / "others") + b"/caf\xe9.png"
        with open(name, "wb") as file:
            file.write(self.poster(0).read_bytes())
        database = self.folder / "names.db"
        lookalike.update_index(database, [self.folder / "others"])
        with lookalike.Finder(database) as finder:
            found = finder.find(os.fsdecode(name))[0]
        self.assertEqual(os.fsencode(found.path), name)


if __name__ == "__main__":
    unittest.main()
