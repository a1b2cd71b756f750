//! Handoff documents as they are read: what they say of themselves, whether they belong here, how much fits.
