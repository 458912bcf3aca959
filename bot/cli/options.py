"""`mentat rule --options RULESET`: what a rule set chooses where the documents differ."""

from __future__ import annotations

from rich.markup import escape

from bot.clauses.described import described
from bot.cli.session import answer_json, console, print_line
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.options import written


def show_options(ruleset: str, as_json: bool) -> None:
    """The options of a rule set by the order of the turn: value, meaning, other values, clauses; and what the rule set
    wants and nobody plays yet. RuleSetError if there is no rule set of that name."""
    rules = load_rule_set(ruleset)
    parts = described()
    if as_json:
        answer_json(
            {
                "ruleset": rules.name,
                "options": [
                    {
                        "name": name, "part": part, "value": rules.options.get(name), "meaning": said["meaning"],
                        "values": {written(value): said.get("values", {}).get(value, "")
                                   for value in rules.declared[name]},
                        "clauses": said["clauses"], "questions": said.get("questions", []),
                    }
                    for part, options in parts.items()
                    for name, said in options.items()
                ],
                "unplayed": list(rules.unplayed),
            }
        )  # fmt: skip
        return
    console.print(f"[bold]{escape(rules.title)}[/bold] ({rules.name})")
    for part, options in parts.items():
        console.print(f"\n[bold]{escape(part)}[/bold]")
        for name, said in options.items():
            value = rules.options.get(name)
            shown = "not played yet" if value is None else written(value)
            console.print(f"[cyan]{name}[/cyan] = {escape(shown)}")
            means = said.get("values", {}).get(value, "")
            print_line(f"  {said['meaning']}{f' Here: {means}.' if means else ''}")
            others = [other for other in said.get("values", {}) if other != value]
            for other in others:
                print_line(f"  {other}: {said['values'][other]}", style="dim")
            rests = ", ".join([*said["clauses"], *said.get("questions", [])])
            print_line(f"  {rests}", style="dim")
    if rules.unplayed:
        print_line(f"\nNot played yet: {'; '.join(rules.unplayed)}")
