//! Output logs: what an attempt printed, as it printed it. Not facts, and no redb.
