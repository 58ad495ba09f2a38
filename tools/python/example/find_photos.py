"""Finds what photos show, draws where, and writes a table. Each part that begins with # %% is a cell
for editors that know notebooks.

    python3 find_photos.py FOLDER OUTPUT PHOTO...

FOLDER is indexed in OUTPUT/photos.db. Each photo that shows something is written to OUTPUT as
NAME-found.png with the outlines, and OUTPUT/found.csv has a row for each match.
"""

from __future__ import annotations

# %% What is needed: lookalike, NumPy, and OpenCV to draw
import csv
import pathlib
import sys

import cv2
import numpy as np

import lookalike

folder, output, *photos = map(pathlib.Path, sys.argv[1:])
output.mkdir(parents=True, exist_ok=True)


# %% Bring the index up to date. The first time takes a while; later, only new images do.
def show(step: str, done: int, total: int) -> None:
    print(f"\r{step}: {done}/{total or '?'}", end="", file=sys.stderr)


update = lookalike.update_index(output / "photos.db", [folder], progress=show)
print(f"\n{update.indexed} indexed, {len(update.unused)} of no use", file=sys.stderr)
for unused in update.unused:
    print(f"  {unused.path}: {unused.detail}", file=sys.stderr)

# %% Look all photos up, several at a time
with lookalike.Finder(output / "photos.db", match_top=3) as finder:
    answers = list(finder.find_many(photos))
    sizes = {image.id: (image.width, image.height) for image in finder.images()}

# %% A table of everything that was found
with open(output / "found.csv", "w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["photo", "place", "decision", "probability", "image", "width", "height", "taken"])
    for answer in answers:
        if answer.error:
            print(answer.error, file=sys.stderr)
        for found in answer.found:
            table.writerow(
                [answer.photo, found.place, found.decision, f"{found.probability:.3f}", found.path]
                + [*sizes[found.id], found.taken]
            )


# %% The outlines of what is sure, in the photo
SURE = {"duplicate", "variant", "same_object", "part"}


def draw(photo: pathlib.Path, matches: tuple[lookalike.Found, ...]) -> pathlib.Path:
    picture = cv2.imread(str(photo))
    for found in matches:
        if found.quad is None:
            continue
        corners = np.round(found.quad).astype(np.int32)
        cv2.polylines(picture, [corners], True, (60, 180, 0), 3, cv2.LINE_AA)
        name = f"{found.place}: {pathlib.Path(found.path).name}"
        x, y = (int(value) for value in corners.mean(axis=0))
        cv2.putText(picture, name, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (60, 180, 0), 2)
    drawn = output / f"{photo.stem}-found.png"
    cv2.imwrite(str(drawn), picture)
    return drawn


for photo, answer in zip(photos, answers):
    sure = tuple(found for found in answer.found if found.decision in SURE)
    print(f"{photo}: {draw(photo, sure) if sure else 'nothing sure'}")

# %% Why the first photo shows its first match
if answers and answers[0].found:
    with lookalike.Finder(output / "photos.db") as finder:
        why = finder.explain(photos[0], answers[0].found[0].id)
    for step in why["steps"]:
        print(f"{step['step']:12} {'yes' if step['passed'] else 'no':4} {step['reason']}")
