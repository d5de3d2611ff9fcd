"""One look at all 64 sensors: powered by groups, chosen through multiplexers, read by the two inputs of the ADC.

A group's sensors need a third of a millisecond to wake; the next group is powered while this one is read, so
nothing waits. Apart from `board`: here alone it matters how the sensors are wired (`hwconfig`).
"""

from firmware_py import hwconfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_py.ports import Readings, Sensors


class Scanner:
    """The scan of all sensors, each at the place that `hwconfig.GROUPS` names."""

    def __init__(self, sensors: "Sensors") -> None:
        self._sensors = sensors

    def start(self) -> None:
        """Switch all groups off but the first, which then has time to wake."""
        for group in range(len(hwconfig.GROUPS)):
            self._sensors.power(group, group == 0)

    def scan(self, raw: "Readings") -> None:
        """Fill `raw` (an array of 64) with readings 0..4095, by square."""
        sensors, groups = self._sensors, hwconfig.GROUPS
        count = len(groups)
        for group in range(count):
            sensors.power((group + 1) % count, True)
            for square, multiplexer, channel, adc in groups[group]:
                raw[square] = sensors.read(multiplexer, channel, adc)
            sensors.power(group, False)


def stuck_line(raw: "Readings") -> int | None:
    """Return the number of an address line of the multiplexers that changes nothing, or None.

    Sensors at rest differ by tens of millivolts: if everywhere two channels that differ in one line read the same, that
    line is stuck. `raw` is a scan of the empty board.
    """
    channels = {}
    for group in hwconfig.GROUPS:
        for square, multiplexer, channel, _ in group:
            channels[multiplexer * 16 + channel] = raw[square]
    for line in range(4):
        apart = 0
        for place in channels:
            other = place ^ (1 << line)
            if other in channels and abs(channels[place] - channels[other]) > 6:
                apart += 1
        if apart < 4:
            return line
    return None
