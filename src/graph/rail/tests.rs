//! The rail against drawings made by hand, and against a reader that knows only the characters.

use super::*;

/// Lays out edges by name, `a->b` or `a~>b` (only orders); siblings in the order of `names`.
fn rail<'a>(names: &'a str, edges: &'a str) -> Rail<&'a str> {
    let names: Vec<&str> = names.split_whitespace().collect();
    layout(&names, &parsed(edges), |orders_only| orders_only)
}

fn parsed(edges: &str) -> Vec<(&str, &str, bool)> {
    let parse = |edge| {
        let (from, to) = str::split_once(edge, "->").or_else(|| str::split_once(edge, "~>")).unwrap();
        (from, to, edge.contains('~'))
    };
    edges.split_whitespace().map(parse).collect()
}

/// The gutter and the name, each row.
fn drawn(rail: &Rail<&str>, charset: Charset) -> String {
    let rows = draw(rail, charset);
    let rows = rows.iter().zip(rail.nodes()).map(|(gutter, name)| format!("{gutter}o {name}"));
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn show() {
    for (names, edges) in [
        (
            "plan schema store engine script tui dag log integrate docs review release",
            "plan->schema plan->tui plan->docs schema->store schema->engine store->integrate engine->script engine->dag tui->dag tui->log script->integrate dag->integrate log->integrate integrate->review docs->review review->release",
        ),
        (
            "plan parse store screen docs test review ship",
            "plan->parse plan->store plan->screen parse->test store->test screen->test screen->docs docs->review test->review review->ship",
        ),
        (
            "churn style security perf2 summary",
            "churn->security style~>security security->summary perf2->summary",
        ),
        ("a b c d", "a->b b->c c->d"),
        ("a b c d", "a->b a->c b->d c->d"),
        ("a b c d", "a->b a->c a->d"),
        ("a b c d", "a->d b->d c->d"),
        ("a b c d e f g", "a->b a->c b->d c->d d->e d->f e->g f->g"),
        ("a b c d e f", "a->b a->c b->d b->e d->f c->f e->f"),
        ("a b c d", "a->c b->d"),
        ("a b c d", "a->c a->d b->c b->d"),
        ("a b c d e f", "a->d a->e a->f b->d b->e b->f c->d c->e c->f"),
        ("a b c d e", "a->b a->c a->d a->e b->e c->e d->e"),
        ("a b c", "a~>b b~>c"),
        ("a b c d", "a->b a~>c a~>d"),
        ("a b c d", "a~>d b->d c~>d"),
        ("a b c d", "a->b b->c c->d a->c a->d b->d"),
        ("a", ""),
        ("a b c", ""),
        ("a b c", "a->c"),
        ("a b c d e f g h i", "a->c b->c c->d c->e d->f e->f f->g x->y a->h h->i g->i"),
        ("a b c d e f", "a->b b->c c->f a->d d->e e->f"),
        ("a b c d", "a->b b->c c->a c->d"),
    ] {
        println!("\n{names} | {edges}");
        println!("{}", drawn(&rail(names, edges), Charset::Unicode));
        println!("{}", drawn(&rail(names, edges), Charset::Ascii));
    }
}
