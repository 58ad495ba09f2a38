"""Image search over your own folders, from Python.

    import lookalike

    lookalike.update_index("photos.db", ["/srv/photos"])
    with lookalike.Finder("photos.db") as finder:
        for found in finder.find("photo.jpg"):
            print(found.decision, found.path)

Photos are paths, the bytes of an image file, or arrays: uint8, height x width for grey, or height x
width x 3 for red, green, blue (OpenCV has blue first: pass ``image[:, :, ::-1]``).

Settings are those of the program, which ``lookalike config`` prints, by keywords: ``match_top=3``
is ``match.top``, the first underscore being the dot.

Every function raises a subclass of `Error` for each kind of failure. Other threads of Python run
while lookalike works. Ctrl-C stops `update_index`, `add_many` and `duplicates`, which keep what is
done, and `evaluate`; other calls end first.
"""

from __future__ import annotations

import collections
import json
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import (
    Any,
    Callable,
    Deque,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
    Type,
    TypeVar,
    Union,
)

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import (
    DeviceError,
    Error,
    InputError,
    InternalError,
    StorageError,
    UsageError,
)

__all__ = [
    "Answer",
    "DeviceError",
    "Error",
    "Features",
    "Finder",
    "Found",
    "Hit",
    "Image",
    "InputError",
    "InternalError",
    "Matched",
    "StorageError",
    "Unused",
    "Update",
    "UsageError",
    "add",
    "add_many",
    "duplicates",
    "evaluate",
    "extract",
    "locate",
    "match",
    "reject",
    "remove",
    "update_index",
]

Path = Union[str, "os.PathLike[str]"]
Photo = Union[Path, bytes, npt.NDArray[np.uint8]]
Region = Tuple[int, int, int, int]
Setting = Union[bool, int, float, str, List[str]]
Stop = Callable[[], bool]
Progress = Callable[[str, int, int], object]
_Value = TypeVar("_Value")


def _settings(settings: Dict[str, Setting]) -> List[str]:
    """Returns settings as the library takes them: "match.top=3"."""
    texts = []
    for name, value in settings.items():
        key = name if "." in name else name.replace("_", ".", 1)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        texts.append(f"{key}={text}")
    return texts


def _several(name: str, values: Iterable[_Value]) -> Iterable[_Value]:
    """Returns the values. Refuses a single one, whose parts Python would iterate over."""
    if isinstance(values, (str, bytes, os.PathLike, np.ndarray)):
        kind = type(values).__name__
        raise UsageError(f"{name}: must be a list or another iterable, was one {kind}")
    return values


@dataclass(frozen=True)
class Found:
    """An indexed image that a photo shows, or that looks like it."""

    id: int
    """Number of the image in its index."""
    path: str
    """The first of its files that exists, else the first of all."""
    paths: Tuple[str, ...]
    """All files with this content, and names that it was added under. Pages of a TIFF file after
    the first are named scan.tif[2]."""
    decision: str
    """"duplicate", "variant", "same_object", "part", "similar", "related" or "none"."""
    probability: float
    """That both show the same thing, 0 to 1."""
    quad: Optional[npt.NDArray[np.float64]]
    """4 x 2: where the image, or for "part" the shared part, lies in the photo. Its top-left,
    top-right, bottom-right and bottom-left corner; x and y in px of the upright photo at full size,
    from its top-left corner. None if geometry found no place."""
    place: int
    """Number of the place in the photo, from 1: images whose outlines overlap share one."""
    correlation: Optional[float]
    """Of pixels, -1 to 1; None if they were not compared."""
    inliers: int
    """Pairs of features that agree on the place."""
    mirrored: bool
    """True if found in the mirrored photo: the quad runs anticlockwise."""
    rejected: bool
    """True if `reject` was called for this photo and image."""
    taken: str
    """Local time, by the file's metadata: "2019-07-14T12:30:05"; empty if unknown."""
    camera: str
    """By the file's metadata; empty if unknown. Both are empty without ``origin``."""
    evidence: Dict[str, Any]
    """What the probability was made of, as "evidence" in docs/schema/query.json."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Found) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.id, self.place, self.decision))

    def _values(self) -> Dict[str, Any]:
        """Returns the fields with the quad as a list, which == compares as a whole."""
        return {**vars(self), "quad": None if self.quad is None else self.quad.tolist()}


@dataclass(frozen=True, eq=False)
class Answer:
    """What `Finder.find_many` says about one photo."""

    photo: Photo
    found: Tuple[Found, ...]
    """Best first; empty if there is an error."""
    error: Optional[Error]
    """Why the photo could not be looked up; None if it was."""


@dataclass(frozen=True)
class Image:
    """An indexed image."""

    id: int
    """Its number, from 1; never used again after a removal."""
    paths: Tuple[str, ...]
    """All files with this content, and names that it was added under."""
    content: str
    """Hash of the file's bytes, hexadecimal."""
    width: int
    """Of the upright image at full size, px."""
    height: int
    """The same."""
    features: int
    """Number of features in the index."""
    blank: bool
    """True if it is nearly of one colour: such images are never found."""


@dataclass(frozen=True)
class Unused:
    """A file, or a named image, that could not be indexed."""

    path: str
    reason: str
    """For programs: "unreadable", "empty", "undecodable", ..."""
    detail: str
    """For people."""


@dataclass(frozen=True)
class Update:
    """What a run of `update_index` or `add_many` did."""

    indexed: int
    """New or changed files or images."""
    unchanged: int
    """Files or images indexed before."""
    removed: int
    """Files that are gone."""
    moved: int
    """Files that are gone, with their content found elsewhere."""
    withheld: int
    """Files that are gone, but were kept: docs/nightly.md explains why."""
    unused: Tuple[Unused, ...]
    """What could not be indexed."""
    unreachable: Tuple[str, ...]
    """Folders of the index that cannot be scanned."""
    stopped: bool
    """True if `stop` ended the run with work left."""


@dataclass(frozen=True, eq=False)
class Features:
    """SURF features of a photo, strongest first. Unpacks as ``keypoints, descriptors``."""

    keypoints: npt.NDArray[np.float32]
    """n x 7: x and y, px, where (0, 0) is the middle of the top-left pixel; diameter, px; angle,
    degrees clockwise from the x axis, 0 to 360; response; octave; sign of the Laplacian. These are
    the arguments of cv2.KeyPoint, in order."""
    descriptors: npt.NDArray[np.float32]
    """n x 64, or n x 128."""
    width: int
    """Of the upright photo at full size, px."""
    height: int
    """The same."""

    def __iter__(self) -> Iterator[npt.NDArray[np.float32]]:
        return iter((self.keypoints, self.descriptors))

    def __len__(self) -> int:
        return len(self.keypoints)


class Matched(NamedTuple):
    """Pairs of features of two photos, and how they map the first to the second."""

    pairs: npt.NDArray[np.uint32]
    """n x 2: numbers of keypoints of the first and the second, most distinct pairs first."""
    homography: Optional[npt.NDArray[np.float64]]
    """3 x 3: takes pixel centres of the first to those of the second, as cv2.perspectiveTransform
    does. None if too few pairs agree on any."""
    inliers: npt.NDArray[np.bool_]
    """n: True for the pairs that agree."""


@dataclass(frozen=True, eq=False)
class Hit:
    """A place of a scene that shows an object."""

    centre: Tuple[float, float]
    """x and y in px of the upright scene at full size, from its top-left corner."""
    quad: npt.NDArray[np.float64]
    """4 x 2: the outline of the object in the scene, as `Found.quad`."""
    homography: npt.NDArray[np.float64]
    """3 x 3: takes pixel centres of the object to those of the scene."""
    angle_degrees: float
    """Turn of the object, clockwise as seen, 0 to 360."""
    scale: float
    """Px of the scene per px of the object."""
    correlation: float
    """Of pixels, -1 to 1."""
    inliers: int
    """Pairs of features that agree; 0 when correlation alone found it."""
    colour: Optional[float]
    """Agreement of the colours, up to 1; None if they were not compared."""
    position_error_px: Optional[float]
    """Standard error of the centre; None if it is unknown."""


class Finder:
    """An open index and the device that searches it.

    Opening reads the visual words and starts the device, so keep a finder for many photos. Answers
    come from the state that was published when it was opened: open another one after a run. Any
    number of threads may use it at once.

        with lookalike.Finder("photos.db", match_top=3) as finder:
            ...

    Raises `InputError` for what is no index, or an index without images, `UsageError` for a wrong
    setting, `DeviceError` and `StorageError`.
    """

    def __init__(self, database: Path, **settings: Setting) -> None:
        self._native: Optional[_native.Finder] = _native.Finder(database, _settings(settings))

    def __enter__(self) -> Finder:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: object,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the index once the calls in progress end. Later calls raise `UsageError`."""
        self._native = None

    def _open(self) -> _native.Finder:
        native = self._native
        if native is None:
            raise UsageError("this finder is closed")
        return native

    def find(
        self,
        photo: Photo,
        *,
        top: Optional[int] = None,
        region: Optional[Region] = None,
        mirror: Optional[bool] = None,
        origin: bool = True,
    ) -> List[Found]:
        """Returns what the photo shows, best first.

        top: places of the photo to answer, each with all of its matches; by default ``match_top``.
        region: look up this part alone: x, y, width and height in px, of at least 16 x 16. Answers
        are in px of the whole photo.
        mirror: also find mirrored images; by default ``match_mirror``.
        origin: read `Found.taken` and `Found.camera` from the start of each file that is found.

        Raises `InputError` for a photo that cannot be used or does not hold the region.
        """
        return _found(self._open(), photo, top, mirror, region, origin)

    def find_many(
        self,
        photos: Iterable[Photo],
        *,
        top: Optional[int] = None,
        mirror: Optional[bool] = None,
        origin: bool = True,
    ) -> Iterator[Answer]:
        """Looks photos up on a thread per core, and yields an answer for each, in order.

        Takes photos from the iterable only a few ahead of the answers, so it may be endless. A
        photo that cannot be used has an answer with an error; other failures are raised. The
        keywords are those of `find`.
        """
        native = self._open()
        if top is not None and top < 1:
            raise UsageError(f"top: must be at least 1, was {top}")

        def look_up(photo: Photo) -> Answer:
            try:
                return Answer(photo, tuple(_found(native, photo, top, mirror, None, origin)), None)
            except (InputError, UsageError) as error:
                return Answer(photo, (), error)

        return _in_order(look_up, _several("photos", photos))

    def images(self) -> Iterator[Image]:
        """Yields the images of the index, by number."""
        last = 0
        while True:
            page = self._open().images(last, _PAGE)
            for image in page:
                yield Image(**image)
            if len(page) < _PAGE:
                return
            last = page[-1]["id"]

    def get(self, image: Union[int, Path]) -> Optional[Image]:
        """Returns an image by its number, a name that it was added under, or the path of one of its
        files; None if there is none."""
        found = self._open().get(image)
        return None if found is None else Image(**found)

    def thumbnail(self, id: int, side: int = 320) -> npt.NDArray[np.uint8]:
        """Returns an image, height x width x 3 in red, green, blue, its longest side at most `side`
        px. Raises `InputError` for an unknown image, or if no file has its content."""
        return self._open().thumbnail(id, side)

    def explain(self, photo: Photo, id: int) -> Dict[str, Any]:
        """Explains why `find` finds an image or does not, step by step, as docs/schema/explain.json
        describes. Raises `InputError` for a photo that cannot be used, or an unknown image."""
        answer: Dict[str, Any] = json.loads(self._open().explain(photo, id))
        return answer


_PAGE = 1000  # images that are read at a time


def _found(
    native: _native.Finder,
    photo: Photo,
    top: Optional[int],
    mirror: Optional[bool],
    region: Optional[Region],
    origin: bool,
) -> List[Found]:
    answers = native.find(photo, top, mirror, region, origin)
    for answer in answers:
        answer["evidence"] = json.loads(answer["evidence"])
    return [Found(**answer) for answer in answers]


def _in_order(look_up: Callable[[Photo], Answer], photos: Iterable[Photo]) -> Iterator[Answer]:
    """Yields look_up() of each photo, a few ahead of what has been taken."""
    cores = len(os.sched_getaffinity(0))
    waiting: Deque[Future[Answer]] = collections.deque()
    with ThreadPoolExecutor(cores, thread_name_prefix="lookalike") as pool:
        try:
            for photo in photos:
                waiting.append(pool.submit(look_up, photo))
                if len(waiting) >= 2 * cores:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def update_index(
    database: Path,
    folders: Iterable[Path] = (),
    *,
    progress: Optional[Progress] = None,
    stop: Optional[Stop] = None,
    **settings: Setting,
) -> Update:
    """Brings an index up to date with folders, which it remembers, or with all that it knows if
    none is named. Creates the index if it does not exist.

    progress: called with a step such as "index (step 3 of 4)", the number of items done, and of
    all, 0 if unknown.
    stop: called now and then; once it returns True, what is done is published and the call returns.
    What either raises, and Ctrl-C, ends the run in the same way and is then raised.

    Finders and other processes can read meanwhile; a second run raises `StorageError`. Raises
    `UsageError` for a wrong setting and for a database that is another file, `InputError` for a
    folder that cannot be read, and `DeviceError`.
    """
    folders = _several("folders", folders)
    return _update(_native.update_index(database, folders, _settings(settings), stop, progress))


def _update(done: Dict[str, Any]) -> Update:
    unused = tuple(Unused(*one) for one in done.pop("unused"))
    return Update(unused=unused, **done)


def add(database: Path, name: str, image: Photo, **settings: Setting) -> None:
    """Adds an image that has no file, such as an array, to an index under a name. `Found.paths`
    then has the name. A name that the index has gets the new image.

    The picture is not kept, so only features of the image can be compared: it is at best
    "same_object", and has no thumbnail. The name stays until `remove`; `update_index` leaves it
    alone. It does not begin with a slash, end in [NUMBER] or hold control characters. Use
    `add_many` for several images: each call starts the device.

    Raises `InputError` for an image that cannot be used, and for an index without images, whose
    visual words `update_index` or `add_many` trains; `UsageError` for another array than photos
    are, and for a wrong name; and as `update_index`.
    """
    _native.add(database, name, image, _settings(settings))


def add_many(
    database: Path,
    images: Mapping[str, Photo],
    *,
    progress: Optional[Progress] = None,
    stop: Optional[Stop] = None,
    **settings: Setting,
) -> Update:
    """Adds images by their names, as `add` does: ``add_many("photos.db", {"shelf-7": array})``.
    Images that cannot be used are in `Update.unused`, by name.

    Takes each image from the mapping when its turn comes, on several threads and perhaps more than
    once, so a mapping may read them on demand. If the index has no images yet, or does not exist,
    these first train its visual words, so give it many at once.

    progress, stop: as for `update_index`. What the mapping raises ends the run as what these raise
    does. Raises as `update_index`, and `UsageError` for a wrong name, before anything is added.
    """
    if not isinstance(images, Mapping):
        raise UsageError(f"images: must be a mapping, was {type(images).__name__}")
    return _update(_native.add_many(database, images, _settings(settings), stop, progress))


def remove(database: Path, names: Iterable[Path]) -> int:
    """Removes files, folders with everything below them, and names of `add` from an index. Returns
    the number of indexed files and names removed. What still lies in an indexed folder comes back
    with the next run. A name wins over a path that is written like it.

    Raises `InputError`, before any removal, for a path that is not in the index."""
    return _native.remove(database, _several("names", names))


def extract(photo: Photo, **settings: Setting) -> Features:
    """Extracts SURF features: ``keypoints, descriptors = lookalike.extract("photo.jpg")``.

    Unless settings such as ``extract_max_features`` say otherwise, the photo is not reduced, all
    features are kept, and descriptors are not normalised. Raises `InputError` for a photo that
    cannot be used, and `DeviceError`."""
    return Features(*_native.extract(photo, _settings(settings)))


def match(a: Union[Photo, Features], b: Union[Photo, Features], **settings: Setting) -> Matched:
    """Pairs the features of two photos one to one by the ratio of their distances (Lowe 2004), and
    finds the homography that most pairs agree with:
    ``pairs, homography, inliers = lookalike.match("a.jpg", "b.jpg")``.

    Takes photos or what `extract` gave; numbers of keypoints are those of `extract` under the same
    settings. ``match_min_inliers`` and ``match_inlier_distance`` say when pairs agree. Raises as
    `extract`, and `UsageError` for features of other shapes or descriptors of different sizes, a
    value that is not finite, and a diameter that is not positive."""
    first, second = (
        one if isinstance(one, Features) else extract(one, **settings) for one in (a, b)
    )
    return Matched(
        *_native.match(
            (first.keypoints, first.descriptors, first.width, first.height),
            (second.keypoints, second.descriptors, second.width, second.height),
            _settings(settings),
        )
    )


def locate(object: Photo, scene: Photo, **settings: Setting) -> List[Hit]:
    """Finds every place where a scene shows an object, best first; [] if it does not. Settings such
    as ``locate_method`` apply: docs/locate.md explains them. Raises `InputError` for a picture that
    cannot be used, and `DeviceError`."""
    return [Hit(**hit) for hit in _native.locate(object, scene, _settings(settings))]


def duplicates(
    database: Path,
    *,
    kinds: Iterable[str] = (),
    prefer: Iterable[Path] = (),
    progress: Optional[Progress] = None,
    stop: Optional[Stop] = None,
    **settings: Setting,
) -> Optional[List[Dict[str, Any]]]:
    """Groups the images of an index that show the same thing, and proposes which files to keep.
    Returns a group for each, as docs/schema/duplicates.json describes; None if `stop` ended it.
    Nothing is moved or deleted. The first call compares all images, later ones only new ones.

    kinds: "exact", "copy", "turned", "mirrored", "crop", "variant", "object", "part"; none: all
    whose pixels agree.
    prefer: folders whose files stay first, in order.
    progress, stop: as for `update_index`; the next call resumes.
    """
    groups = _native.duplicates(
        database,
        list(_several("kinds", kinds)),
        _several("prefer", prefer),
        _settings(settings),
        stop,
        progress,
    )
    return None if groups is None else [json.loads(group) for group in groups]


def evaluate(
    database: Path,
    truth: Path,
    *,
    progress: Optional[Progress] = None,
    stop: Optional[Stop] = None,
    **settings: Setting,
) -> Optional[Dict[str, Any]]:
    """Measures an index against ground truth: a CSV file with the header ``query,relevant`` or
    ``query,relevant,x0,y0,...,x3,y3`` (docs/evaluation.md); its paths are relative to its folder.
    Returns the measures, as docs/schema/evaluate.json describes, with the program's default error
    rate; None if `stop` ended it.

    progress, stop: as for `update_index`, but nothing is kept. Raises `InputError` for a file that
    is no ground truth, a photo that cannot be used, and a relevant image that is not in the index.
    """
    measures = _native.evaluate(database, truth, _settings(settings), stop, progress)
    return None if measures is None else dict(json.loads(measures))


def reject(database: Path, a: Path, b: Path, *, undo: bool = False) -> bool:
    """Remembers that two images do not match, so that `duplicates` keeps them apart; with `undo`,
    forgets it. Each is the path of an indexed file, or an `Image.content`. Returns whether that is
    new. Raises `InputError` for an image that is not in the index."""
    return _native.reject(database, a, b, undo)
