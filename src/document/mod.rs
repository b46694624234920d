//! A markdown file to a Memory and back. Reading never fails; edits change only the lines that they must.
