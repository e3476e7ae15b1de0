"""Cards that move: what lay somewhere goes to where it lies now, and nothing is in two places."""

from browser_site import ANSWERS, END, answer, create_table, wait_for_a_question

#: Every change of the table is noted: the names that cards bore before and after it, and what became of it.
NOTING = """
  window.changes = [];
  const start = document.startViewTransition.bind(document);
  const names = () => [...document.querySelectorAll("[data-card]")]
    .map((card) => getComputedStyle(card).viewTransitionName).filter((name) => name.startsWith("card-"));
  document.startViewTransition = (swap) => {
    const change = { before: names(), after: [], problem: "" };
    window.changes.push(change);
    const transition = start(() => { swap(); change.after = names(); });
    transition.ready.catch(({ name }) => { change.problem = name; });
    return transition;
  };
"""

#: A change that was still to be seen when the next one came; there is nothing wrong with that.
OVERTAKEN = "AbortError"


def test_cards_move_and_none_is_in_two_places(visit):
    page = visit(animation_speed="fast")
    page.add_init_script(NOTING)
    page.goto("/")
    create_table(page, "me", "greedy", "greedy")
    wait_for_a_question(page)
    for _ in range(4):
        end = page.locator(END)
        answer(page, (end if end.count() else page.locator(ANSWERS)).first.click)
    changes = page.evaluate("changes")
    assert {change["problem"] for change in changes} <= {"", OVERTAKEN}
    for change in changes:
        for names in (change["before"], change["after"]):
            assert len(names) == len(set(names))
    assert any(set(change["before"]) & set(change["after"]) for change in changes)
