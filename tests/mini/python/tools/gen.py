import shop.cli
from shop.cli import run as execute


def generate():
    execute(None)
    shop.cli.main()
    return generate
