// One half of a disc: print 64 in black and 64 in white, as they lie. The magnet lies in the middle of the disc's height,
// half of it in either half.
disc_diameter = 34;
half_high = 3;
magnet_diameter = 8.2;
magnet_high = 1.1;      // of the magnet and of the glue
edge = 0.6;             // rounded, to be picked up by
$fn = 96;

difference() {
    rotate_extrude() difference() {
        square([disc_diameter / 2, half_high]);
        translate([disc_diameter / 2 - edge, -0.01]) square([edge + 1, edge]);
    }
    translate([0, 0, half_high - magnet_high / 2]) cylinder(d = magnet_diameter, h = magnet_high);
}
// The edge, at an angle that prints without support.
cylinder(d1 = disc_diameter - 2 * edge, d2 = disc_diameter, h = edge);
