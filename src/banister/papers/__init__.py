"""The figures of the five source documents, each from the package's own numbers; one file for each subject."""
