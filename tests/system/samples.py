"""Goal    Every recording that some version made stays readable: the samples of format/samples are kept for ever.
Method  Each is verified, shown, and compared event by event with the list that stands beside it; with its guest at hand it is
        replayed too, against both adversaries. The lists were written by the version that made the samples (`samples.py
        --write NAME` writes one for a sample that has none).
"""
import hashlib
import json
import sys

from _lib import BUILD, GUESTS, IDENTICAL, SOURCE, Bench

SAMPLES = SOURCE / "format" / "samples"
FIELDS = ("thread", "step", "kind", "object", "order", "number", "name", "value")
VALUE_CHARACTERS_MAX = 40
KINDS = {"sealed", "live", "data", "traced", "mcapi", "mcapi_pairs"}


def brief(value):
    """A long value by its digest: the list is for comparing."""
    text = str(value)
    return text if len(text) <= VALUE_CHARACTERS_MAX else "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def events(bench, sample):
    shown = bench.reprise("show", sample, "--json")
    if not bench.expect(shown.code == 0, f"{sample.name}: is shown", "", shown):
        return []
    rows = [[f"{field}={brief(event[field])}" for field in FIELDS if field in event] for event in json.loads(shown.out)]
    return [" ".join(row) for row in rows]


def check(bench, sample):
    what = f"{sample.parent.name}/{sample.stem}"
    verified = bench.reprise("verify", sample)
    bench.expect(verified.code == 0, f"{what}: verifies", "", verified)
    expected = sample.with_suffix(".events").read_text(encoding="utf-8").splitlines()
    found = events(bench, sample)
    differs = next((pair for pair in zip(expected, found) if pair[0] != pair[1]), (len(expected), len(found)))
    bench.expect(found == expected and len(found) > 5, f"{what}: holds the events it held: {differs}")
    program = json.loads((sample / "manifest.json").read_text(encoding="utf-8"))["program"]["path"].rsplit("/", 1)[-1]
    info = bench.reprise("info", sample, "--json")
    bench.expect(info.code == 0 and info.json()["processes"][0]["process"] == program, f"{what}: info reads it", "", info)
    guest = next((folder / program for folder in (GUESTS, BUILD / "mcapi") if (folder / program).exists()), None)
    if guest is None:
        print(f"{what}: not replayed, there is no guest {program} in this build")
        return
    for favour in ("first", "last"):
        replayed = bench.reprise("replay", sample, "--program", guest, "--favour", favour)
        good = replayed.code == 0 and replayed.out.endswith(IDENTICAL)
        bench.expect(good, f"{what}: replays while the {favour} thread is favoured", "", replayed)


def main():
    bench = Bench("samples")
    if sys.argv[1:2] == ["--write"]:
        for sample in sorted(SAMPLES.glob(f"*/{sys.argv[2]}.reprise")):
            listed = sample.with_suffix(".events")
            if not listed.exists():
                listed.write_text("\n".join(events(bench, sample)) + "\n", encoding="utf-8")
        return
    for version in sorted(SAMPLES.glob("v*")):
        found = sorted(version.glob("*.reprise"))
        missing = KINDS - {sample.stem for sample in found}
        bench.expect(not missing, f"{version.name}: there is a sample of each kind; missing: {missing}")
        for sample in found:
            check(bench, sample)
    bench.finish()


main()
