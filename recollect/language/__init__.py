"""What human languages say: words as data, and who reads them."""
