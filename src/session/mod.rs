//! The hot state of one conversation: which files it works on, which errors are open, what was decided, what it stored
//! since its epoch began, which numbered memories its last summary was shown. Pure: values and how events change them;
//! the file that holds them is the store's.
