from billing import Invoice, finalize


def test_finalize():
    assert finalize(Invoice({}, [("book", 100)]), "de").total == 119
