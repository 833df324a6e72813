"""The same classes by their other name. Written for floorplan."""

from typing import *
