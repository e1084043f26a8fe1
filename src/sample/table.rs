//! Tables of kubectl that keep their columns when cells change.

/// Replaces cells in lines. Lines that are not rows below a header are changed as a whole.
pub fn rewritten<'l>(lines: impl Iterator<Item = &'l str>, other: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in lines {
        let is_first = is_header(line);
        match blocks.last_mut() {
            Some(block) if !is_first => block.push(line, other),
            _ => blocks.push(Block::begun(line, is_first, other)),
        }
    }
    blocks.into_iter().flat_map(Block::lines).collect()
}

/// `NAMESPACE   NAME   NOMINATED NODE`
fn is_header(line: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_uppercase() || " -_()/%".contains(c);
    line.chars().all(is_sign) && line.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Header with the rows below it.
struct Block {
    /// Starts of the columns, in characters.
    starts: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Block {
    fn begun(line: &str, is_header: bool, other: &dyn Fn(&str) -> String) -> Self {
        let starts = if is_header { starts(line) } else { Vec::new() };
        let mut block = Self { starts, rows: Vec::new() };
        block.push(line, other);
        block
    }

    fn push(&mut self, line: &str, other: &dyn Fn(&str) -> String) {
        let signs: Vec<char> = line.chars().collect();
        let is_row = self.starts.iter().skip(1).all(|start| signs.get(start - 1).is_none_or(|sign| *sign == ' '));
        let ends = self.starts.iter().skip(1).copied().chain([usize::MAX]);
        let cell = |(start, end): (&usize, usize)| {
            let cell: String = signs.iter().take(end).skip(*start).collect();
            other(cell.trim())
        };
        self.rows.push(if is_row && !self.starts.is_empty() {
            self.starts.iter().zip(ends).map(cell).collect()
        } else {
            vec![other(line)]
        });
    }

    fn lines(self) -> Vec<String> {
        let columns = self.starts.len();
        let width = |column: usize| {
            let rows = self.rows.iter().filter(|row| row.len() == columns);
            rows.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| match row.as_slice() {
            [whole] if columns != 1 => whole.clone(),
            row => {
                let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}   "));
                cells.collect::<String>().trim_end().to_owned()
            }
        };
        self.rows.iter().map(line).collect()
    }
}

/// Finds the columns, which begin after two blanks.
fn starts(header: &str) -> Vec<usize> {
    let signs: Vec<char> = header.chars().collect();
    let blank = |at: Option<usize>| at.and_then(|at| signs.get(at)).is_none_or(|sign| *sign == ' ');
    let begins = |at: &usize| !blank(Some(*at)) && blank(at.checked_sub(1)) && blank(at.checked_sub(2));
    (0..signs.len()).filter(begins).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_move_with_their_cells() {
        let table = "NAME   NOMINATED NODE   IP\n\
                     a      <none>           10.0.0.1\n\
                     bb     rack             10.0.0.2\n\
                     error: a is not there, nor is anything else of it\n\
                     NAME   AGE\n\
                     a      5d\n";
        let other = |text: &str| text.replace("rack", "a-longer-name-than-before").replace("10.0.0.", "::");
        let wanted = "NAME   NOMINATED NODE              IP\n\
                      a      <none>                      ::1\n\
                      bb     a-longer-name-than-before   ::2\n\
                      error: a is not there, nor is anything else of it\n\
                      NAME   AGE\n\
                      a      5d";
        assert_eq!(rewritten(table.lines(), &other).join("\n"), wanted);
    }

    #[test]
    fn lines_without_a_header_are_lines() {
        assert_eq!(rewritten("No resources found\n\nx".lines(), &str::to_owned), ["No resources found", "", "x"]);
    }
}
