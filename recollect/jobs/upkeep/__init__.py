"""Care for the database: packing, trimming, and driving out what was erased, from its files and from archives."""
