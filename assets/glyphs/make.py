#!/usr/bin/env python3
"""Writes glyphs.txt: the characters of a Xiangqi diagram as outlines.

    pip install fonttools
    python3 make.py FONT.ttf > glyphs.txt

Takes a font with quadratic outlines (TrueType). README.md names the one that was used. The same font gives the same
file, byte for byte.
"""

import sys

from fontTools.misc.transform import Transform
from fontTools.pens.basePen import BasePen
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

MEN = "帅仕相马车炮兵将士象卒帥傌俥將馬車砲"
RIVER = "楚河漢界"
LABELS = "abcdefghi0123456789"
# Units to the em: fine enough for a disc as wide as a page, and most steps still have two digits.
EM = 500


class PathPen(BasePen):
    """Collects whole-number relative path commands, as short as SVG allows without losing its reader."""

    def __init__(self, glyph_set):
        super().__init__(glyph_set)
        self.path = ""
        self.command = ""
        self.at = (0, 0)
        self.start = (0, 0)

    def _add(self, command, points):
        text = command if command != self.command else ""
        rounded = [(round(x), round(y)) for x, y in points]
        for x, y in rounded:
            for number in (x - self.at[0], y - self.at[1]):
                between = " " if text[-1:].isdigit() or not text else ""
                text += f"{'' if number < 0 else between}{number}"
        self.path += text
        self.command = command
        self.at = rounded[-1]

    def _moveTo(self, point):
        self._add("m", [point])
        self.start = self.at

    def _lineTo(self, point):
        if (round(point[0]), round(point[1])) != self.at:
            self._add("l", [point])

    def _qCurveToOne(self, control, point):
        self._add("q", [control, point])

    def _curveToOne(self, *points):
        raise SystemExit("the font has cubic outlines; take a TrueType one")

    def _closePath(self):
        self.path += "z"
        self.command = "z"
        self.at = self.start


def outline(font, letter, line_height=None):
    """The outline of a letter around the origin, y downwards.

    Characters are centred by their ink; labels share the baseline, so they are centred by `line_height`.
    """
    glyphs = font.getGlyphSet()
    name = font.getBestCmap()[ord(letter)]
    bounds = BoundsPen(glyphs)
    glyphs[name].draw(bounds)
    left, bottom, right, top = bounds.bounds
    middle = (bottom + top) / 2 if line_height is None else line_height / 2
    scale = EM / font["head"].unitsPerEm
    pen = PathPen(glyphs)
    moved = Transform(scale, 0, 0, -scale, -scale * (left + right) / 2, scale * middle)
    glyphs[name].draw(TransformPen(pen, moved))
    return pen.path


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    font = TTFont(sys.argv[1], fontNumber=0)
    print(f"# Outlines of characters for diagrams: the character, a tab, an SVG path. {EM} units are one em, y grows")
    print("# downwards, the origin is the middle of the character. Written by make.py; README.md tells from which font,")
    print("# OFL.txt under which licence.")
    for letter in MEN + RIVER:
        print(f"{letter}\t{outline(font, letter)}")
    for letters in (LABELS[:9], LABELS[9:]):
        height = font["OS/2"].sxHeight if letters[0] == "a" else font["OS/2"].sCapHeight
        for letter in letters:
            print(f"{letter}\t{outline(font, letter, height)}")


main()
