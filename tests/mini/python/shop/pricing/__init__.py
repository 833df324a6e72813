from .money import Money
from .rules import *

DEFAULT = Money(0)
