"""The studio: a curator opens her own table in a browser, sees what an answer costs, pays, and shows the account."""
