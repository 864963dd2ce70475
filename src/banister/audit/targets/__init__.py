"""What can be audited, one file a kind: functions, commands, endpoints, releases, channels, noise of ours."""
