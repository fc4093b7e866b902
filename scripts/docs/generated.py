"""All generated files of the documentation."""

from pathlib import Path

from scripts.experiments.evidence_report import write_page
from scripts.experiments.loop_report import write_report
from scripts.experiments.no_dev_report import write_no_dev
from scripts.experiments.recovery import SHORT_RESULTS, write_recovery
from scripts.experiments.results import read_reported, read_results
from scripts.make_configuration import make_page

from .api_reference import make_api_page
from .charts import draw_figures, draw_loop, draw_recovery
from .cli_reference import make_cli_page
from .drawings import (
    draw_before_after,
    draw_kbest,
    draw_mask,
    draw_q,
    draw_run,
    draw_unknown,
)
from .project_page import make_project_page


def generated_files(root: Path) -> dict[str, str]:
    """RETURNS (dict[str, str]): The content of each file, by its path.

    root (Path): The folder of the project.
    """
    images, experiments = "docs/images", root / "experiments"
    results = experiments / "full" / "results.jsonl"
    decisions = experiments / "loop" / "results.jsonl"
    rows, decided = read_reported(results), read_reported(decisions)
    no_dev = write_no_dev(experiments / "no_dev")
    short = read_results(root / SHORT_RESULTS)
    return {
        "RESULTS.md": f"{write_recovery(rows, decided, no_dev, short)}\n",
        "experiments/loop/RESULTS.md": f"{write_report(decided, rows)}\n",
        "docs/evidence.md": write_page(root),
        "docs/configuration.md": make_page(),
        "docs/cli.md": make_cli_page(),
        "docs/api.md": make_api_page(),
        "docs/project.md": make_project_page(root),
        f"{images}/before-after.svg": draw_before_after(root / images / "example.json"),
        f"{images}/unknown.svg": draw_unknown(),
        f"{images}/q.svg": draw_q(),
        f"{images}/kbest.svg": draw_kbest(),
        f"{images}/mask.svg": draw_mask(),
        f"{images}/run.svg": draw_run(),
        f"{images}/recovery.svg": draw_recovery(results),
        f"{images}/loop.svg": draw_loop(decisions, results),
        **{
            f"{images}/{name}.svg": picture
            for name, picture in draw_figures([*rows, *short]).items()
        },
    }
