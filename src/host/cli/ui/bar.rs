//! Strength, as a person sees it.

/// The number of cells of a bar; one cell is one unit of strength.
const CELLS: usize = 10;

/// Strength as a bar and a number: `█████░░░░░  4.9`. A strength over ten fills the bar; the number is exact.
pub(crate) fn bar(strength: f64) -> String {
    format!("{} {:>4}", cells(strength), number(strength))
}

/// Strength as a number: `4.9`.
pub(crate) fn number(strength: f64) -> String {
    format!("{strength:.1}")
}

/// Strength as a bar: `█████░░░░░`.
pub(crate) fn cells(strength: f64) -> String {
    let filled = (0..CELLS)
        .filter(|&cell| strength >= f64::from(u32::try_from(cell).expect("because a bar is short")) + 0.5)
        .count();
    let full = "█".repeat(filled);
    let rest = "░".repeat(CELLS - filled);
    format!("{full}{rest}")
}

/// The number of characters at the start of a line that belong to a bar.
pub(crate) fn cells_at_start(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, '█' | '░')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_to_cells() {
        assert_eq!(bar(4.9), "█████░░░░░  4.9");
        assert_eq!(bar(0.0), "░░░░░░░░░░  0.0");
        assert_eq!(bar(0.5), "█░░░░░░░░░  0.5");
        assert_eq!(bar(7.5), "████████░░  7.5");
        assert_eq!(bar(1e6), "██████████ 1000000.0");
        assert_eq!(cells_at_start(&bar(3.0)), 10);
        assert_eq!(cells_at_start("x█"), 0);
    }
}
