//! The workflow's commands beyond stories.
