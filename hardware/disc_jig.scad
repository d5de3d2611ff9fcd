// Jig for one disc: holds its lower half while the magnet is glued into the middle, the right way up.
// The post in the middle carries a magnet of its own: a disc's magnet turned over is pushed away and cannot be glued.
disc_diameter = 34.5;   // of the disc that is at hand, plus play
disc_depth = 3;
magnet_diameter = 8.2;
wall = 3;
base = 4;
$fn = 96;

difference() {
    cylinder(d = disc_diameter + 2 * wall, h = base + disc_depth);
    translate([0, 0, base]) cylinder(d = disc_diameter, h = disc_depth + 1);
    // Pocket for the jig's own magnet, from below, under one millimetre of floor.
    translate([0, 0, -1]) cylinder(d = magnet_diameter, h = base);
    // Two gaps in the wall to take the disc out by.
    for (side = [0, 180]) rotate(side) translate([disc_diameter / 2 - 1, -8, base]) cube([wall + 2, 16, disc_depth + 1]);
}
