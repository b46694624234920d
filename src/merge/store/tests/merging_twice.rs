//! Two machines that made the same memories one, each its own way.

use super::*;

fn superseded(id: &str, by: &str, text: &str) -> String {
    format!("---\nid: {id}\nstatus: superseded\nsuperseded_by: {by}\n---\n{text}\n")
}

#[test]
fn the_least_of_a_circle_is_in_force_again() {
    let (a, b, c) = (
        memory("mem_a", "Use npm"),
        memory("mem_b", "We use npm"),
        memory("mem_c", "npm it is"),
    );
    let (a_gone, b_gone) = (
        superseded("mem_a", "mem_b", "Use npm"),
        superseded("mem_b", "mem_a", "We use npm"),
    );
    gives(
        &[("a.md", &a), ("b.md", &b)],
        &[("a.md", &a_gone), ("b.md", &b)],
        &[("a.md", &a), ("b.md", &b_gone)],
        &[("a.md", &a), ("b.md", &b_gone)],
    );
    // The same way: nothing is to be mended.
    gives(
        &[("a.md", &a), ("b.md", &b)],
        &[("a.md", &a), ("b.md", &b_gone)],
        &[("a.md", &a), ("b.md", &b_gone)],
        &[("a.md", &a), ("b.md", &b_gone)],
    );
    // A circle of three, and a memory beside it that leads into it.
    let (a_by_c, b_by_a, c_by_b) = (
        superseded("mem_a", "mem_c", "Use npm"),
        superseded("mem_b", "mem_a", "We use npm"),
        superseded("mem_c", "mem_b", "npm it is"),
    );
    let zero = superseded("mem_0", "mem_c", "NPM");
    gives(
        &[("a.md", &a), ("b.md", &b), ("c.md", &c)],
        &[
            ("a.md", &a_by_c),
            ("b.md", &b),
            ("c.md", &c_by_b),
            ("z.md", &zero),
        ],
        &[("a.md", &a), ("b.md", &b_by_a), ("c.md", &c)],
        &[
            ("a.md", &a),
            ("b.md", &b_by_a),
            ("c.md", &c_by_b),
            ("z.md", &zero),
        ],
    );
}
