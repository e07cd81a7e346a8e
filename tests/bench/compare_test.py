#!/usr/bin/env python3
"""bench/compare without its peers: the arithmetic, merging, the page and the chart, from results that are written here."""

import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from peers import alternate, chart, figures, page, results, rows, systems  # noqa: E402
from peers.row import MB_PER_SECOND, NS, Row, Rows, inside, system_of  # noqa: E402

FAST = Row(
    "fast", "`range`", NS, {"weir": inside("range({n})"), "tf.data": inside(None, "eager")}, ratios={"tf.data": 10}
)
LEVEL = Row(
    "level",
    "`a | b` & more",
    MB_PER_SECOND,
    {"weir": inside(""), "by hand": inside(None), "DALI": inside(None)},
    bound=50,
    why="Both copy.",
)
SLOW = Row("slow", "slow work", NS, {"weir": inside(""), "Grain": inside(None)}, ratios={"Grain": 1})


def canned():
    return {
        "format": results.FORMAT,
        "machine": "2 × X",
        "command": "bench/compare",
        "versions": {"weir": "1", "tf.data": "2"},
        "rows": {
            "fast": {
                "unit": "ns per element",
                "higher_is_better": False,
                "sides": {
                    "weir": {"figures": [1, 2, 3, 4, 5], "items": 10},
                    "tf.data": {"figures": [40, 60, 90, 160, 250], "items": 5},
                },
            },
            "level": {
                "unit": "MB/s",
                "higher_is_better": True,
                "sides": {
                    "weir": {"figures": [100, 110, 120, 130, 140], "items": 10},
                    "by hand": {"figures": [95, 105, 110, 125, 130], "items": 10},
                    "DALI": {"failed": "no driver"},
                },
            },
            "slow": {
                "unit": "ns per element",
                "higher_is_better": False,
                "sides": {
                    "weir": {"figures": [20, 20, 20], "items": 1},
                    "Grain": {"figures": [10, 10, 10], "items": 1},
                },
            },
        },
    }


class Arithmetic(unittest.TestCase):
    def test_quartiles_of_an_odd_and_an_even_series(self):
        self.assertEqual(figures.spread([5, 1, 3, 2, 4]), figures.Spread(2, 3, 4))
        self.assertEqual(figures.spread([1, 2, 3, 4]), figures.Spread(1.75, 2.5, 3.25))
        self.assertEqual(figures.spread([7]), figures.Spread(7, 7, 7))
        self.assertEqual(figures.spread([float("inf")] * 3), figures.Spread(*[float("inf")] * 3))

    def test_overlap_is_of_the_boxes_and_includes_their_ends(self):
        box = figures.Spread(2, 3, 4)
        self.assertTrue(figures.overlap(box, figures.Spread(4, 5, 6)))
        self.assertTrue(figures.overlap(figures.Spread(4, 5, 6), box))
        self.assertTrue(figures.overlap(figures.Spread(2.5, 3, 3.5), box))
        self.assertFalse(figures.overlap(box, figures.Spread(4.1, 5, 6)))
        self.assertFalse(figures.overlap(figures.Spread(4.1, 5, 6), box))

    def test_ratios_are_of_pairs(self):
        found = figures.compare([1, 2, 3, 4, 5], [40, 60, 90, 160, 250], higher_is_better=False)
        self.assertEqual(found.ratio, figures.Spread(30, 40, 40))
        self.assertTrue(found.won)
        rate = figures.compare([30, 40], [10, 10], higher_is_better=True)
        self.assertEqual(rate.ratio.middle, 3.5)
        lost = figures.compare([20, 20], [10, 10], higher_is_better=False)
        self.assertTrue(lost.claimed)
        self.assertFalse(lost.won)

    def test_nothing_is_claimed_of_series_that_overlap(self):
        found = figures.compare([1, 5, 9], [2, 6, 10], higher_is_better=False)
        self.assertFalse(found.claimed)
        self.assertFalse(found.won)

    def test_nothing_at_all_has_no_finite_ratio(self):
        self.assertEqual(figures.ratio_of(0, 5, False), float("inf"))
        self.assertEqual(figures.ratio_of(0, 0, False), 1)

    def test_series_of_different_lengths_are_refused(self):
        with self.assertRaises(ValueError):
            figures.compare([1, 2], [1], higher_is_better=False)

    def test_units(self):
        self.assertEqual(NS.figure(2e-6, 4, 1, None), 500)
        self.assertEqual(NS.figure(9, 4, 1, 2e-6), 500)
        self.assertEqual(MB_PER_SECOND.figure(0.5, 1000, 4000, None), 8)


class Merging(unittest.TestCase):
    def test_newer_rows_replace_older_ones(self):
        newer = canned()
        newer["rows"] = {"fast": canned()["rows"]["slow"]}
        newer["versions"] = {"tf.data": "3", "Grain": "4"}
        merged = results.merge(canned(), newer)
        self.assertEqual(list(merged["rows"]), ["fast", "level", "slow"])
        self.assertEqual(merged["rows"]["fast"], canned()["rows"]["slow"])
        self.assertEqual(merged["rows"]["level"], canned()["rows"]["level"])
        self.assertEqual(merged["versions"], {"weir": "1", "tf.data": "3", "Grain": "4"})

    def test_another_machine_is_refused(self):
        newer = canned() | {"machine": "4 × Y"}
        with self.assertRaisesRegex(ValueError, "same machine"):
            results.merge(canned(), newer)

    def test_files_come_back_as_they_were(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a" / "results.json"
            results.save(file, canned())
            self.assertEqual(results.load(file), canned())
            file.write_text(json.dumps(canned() | {"format": 0}))
            with self.assertRaisesRegex(ValueError, "format"):
                results.load(file)


class Page(unittest.TestCase):
    def text(self):
        return page.render(
            [FAST, LEVEL, SLOW], canned(), {"weir": "None.", "Grain": "", "mlx-data": "Unused."}, "p/chart.svg"
        )

    def test_lines_of_the_table(self):
        text = self.text()
        self.assertIn(
            "| `range`, ns per element | weir | 3.00 (2.00 to 4.00) |  |  |\n"
            "|  | tf.data | 90.0 (60.0 to 160) | 40.0 (30.0 to 40.0) | ≥ 10: met |\n",
            text,
        )
        self.assertIn(
            "| `a \\| b` & more, MB/s | weir | 120 (110 to 130) |  | ≥ 50: met |\n"
            "|  | by hand | 110 (105 to 125) | no difference claimed |  |\n"
            "|  | DALI | failed |  |  |\n",
            text,
        )
        self.assertIn("|  | Grain | 10.0 (10.0 to 10.0) | 0.500 (0.500 to 0.500) | ≥ 1: **missed** |\n", text)

    def test_what_is_not_won_is_explained(self):
        explained = self.text().split("## Where weir is not ahead")[1].split("##")[0]
        self.assertIn("- `a | b` & more: Both copy.\n", explained)
        self.assertIn("- slow work: no reason was found.\n", explained)
        self.assertNotIn("range", explained)

    def test_a_reference_that_is_reached_need_not_be_won(self):
        near = dataclasses.replace(LEVEL, ratios={"by hand": 0.85})
        self.assertNotIn("Both copy.", page.render([near], canned(), {}, "c.svg"))
        unclaimed = dataclasses.replace(LEVEL, ratios={"by hand": 1.05})
        self.assertIn("Both copy.", page.render([unclaimed], canned(), {}, "c.svg"))
        far = dataclasses.replace(LEVEL, ratios={"by hand": 1.2})
        self.assertIn("Both copy.", page.render([far], canned(), {}, "c.svg"))

    def test_failures_and_settings_are_named(self):
        text = self.text()
        self.assertIn("## What did not run\n\n- `a | b` & more, DALI: no driver\n", text)
        self.assertIn("- `range`, tf.data: eager.\n", text)
        self.assertIn("- weir: None.\n", text)
        self.assertNotIn("mlx-data", text)
        for expected in ("2 × X", "weir 1, tf.data 2", "(5 rounds)", "](p/chart.svg)"):
            self.assertIn(expected, text)

    def test_a_row_without_weir_has_no_ratio(self):
        found = canned()
        found["rows"]["fast"]["sides"]["weir"] = {"failed": "out of memory"}
        text = page.render([FAST], found, {}, "c.svg")
        self.assertIn("|  | tf.data | 90.0 (60.0 to 160) |  |  |\n", text)
        self.assertIn("- `range`, weir: out of memory\n", text)
        self.assertIn("- `range`: no reason was found.\n", text)

    def test_numbers(self):
        shown = {0: "0", 0.1234: "0.123", 1.5: "1.50", 15.25: "15.2", 1234.5: "1,234", float("inf"): "∞"}
        for value, text in shown.items():
            self.assertEqual(page.number(value), text)


class Chart(unittest.TestCase):
    def bars(self, found):
        root = xml.etree.ElementTree.fromstring(chart.render([FAST, LEVEL, SLOW], found))
        drawn = [e.attrib for e in root.iter("{http://www.w3.org/2000/svg}rect")][1:]
        return root, [(bar["fill"], float(bar["x"]), float(bar["width"])) for bar in drawn]

    def test_bars_begin_at_one_and_are_logarithmic(self):
        _, drawn = self.bars(canned())
        (ahead, one, width), (neither, _, _), (behind, left, back) = drawn
        self.assertEqual((ahead, neither, behind), (chart.AHEAD, chart.NEITHER, chart.BEHIND))
        self.assertAlmostEqual(left + back, one, delta=0.1)
        # 40 times is 1.602 decades, a half 0.301.
        self.assertAlmostEqual(width / back, 1.602 / 0.301, delta=0.05)

    def test_the_best_of_the_others_is_shown(self):
        found = canned()
        found["rows"]["level"]["sides"]["DALI"] = {"figures": [300, 300, 300, 300, 300], "items": 1}
        root, drawn = self.bars(found)
        self.assertEqual(drawn[1][0], chart.BEHIND)
        texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("0.400, DALI", texts)
        self.assertIn("a | b & more", texts)


class Definitions(unittest.TestCase):
    def test_every_row_names_known_systems_and_has_a_target_for_sides_that_it_has(self):
        for row in rows.ALL.all.values():
            self.assertIn("weir", row.sides, row.name)
            for side in row.sides:
                self.assertIn(system_of(side), systems.KNOWN, row.name)
            self.assertLessEqual(set(row.ratios), set(row.sides) - {"weir"}, row.name)

    def test_two_rows_of_one_name_are_refused(self):
        made = Rows()
        made.add("a", "a", NS, {})
        with self.assertRaises(ValueError):
            made.add("a", "b", NS, {})

    def test_every_system_has_its_file_and_says_its_settings(self):
        for name in systems.KNOWN:
            self.assertTrue(systems.module_of(name).Module.settings, name)


class Sides(unittest.TestCase):
    def side_of(self, *words):
        """A side whose process is this program."""
        side = object.__new__(alternate.Process)
        side.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        side.failed, side.figures = "", []
        self.addCleanup(side.process.stdout.close)
        return side

    def test_one_that_does_not_answer_is_ended(self):
        side = self.side_of("tail", "-f", "/dev/null")
        with unittest.mock.patch.object(alternate, "LIMIT_SECONDS", 0.05):
            self.assertEqual(side.answer(), {})
        self.assertEqual(side.failed, "no answer within 0.05 s")
        side.close()

    def test_one_that_answers_or_ends_is_not(self):
        side = self.side_of("echo", '{"count": 3}')
        self.assertEqual(side.answer(), {"count": 3})
        self.assertEqual(side.answer(), {})
        self.assertEqual(side.failed, "its process ended with 0")
        side.close()


class Command(unittest.TestCase):
    def run_command(self, *words):
        return subprocess.run(
            [sys.executable, ROOT / "bench" / "compare", *words], capture_output=True, text=True, check=False
        )

    def test_writes_a_page_from_results(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            found = canned()
            found["rows"] = {"range": found["rows"]["fast"]}
            results.save(folder / "r.json", found)
            done = self.run_command("--page-only", "--json", folder / "r.json", "--page", folder / "performance.md")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("40.0 (30.0 to 40.0)", (folder / "performance.md").read_text())
            xml.etree.ElementTree.parse(folder / "performance" / "chart.svg")
            self.assertEqual(results.load(folder / "performance" / "results.json"), found)

    def test_names_of_rows_and_peers_are_checked(self):
        self.assertEqual(self.run_command("--rows", "no such row").returncode, 2)
        unknown = self.run_command("--peers", "nobody")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("found nobody", unknown.stderr)

    def test_the_committed_page_is_that_of_its_results(self):
        committed = ROOT / "docs" / "performance.md"
        with tempfile.TemporaryDirectory() as name:
            again = pathlib.Path(name) / "performance.md"
            done = self.run_command("--page-only", "--json", ROOT / "docs/performance/results.json", "--page", again)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(
                again.read_text(), committed.read_text(), "run bench/compare --page-only, see docs/performance.md"
            )


if __name__ == "__main__":
    unittest.main()
