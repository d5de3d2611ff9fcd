// Case of the clock: a 7-inch touchscreen between two buttons, a Raspberry Pi on the back. The dimensions are parameters, of
// one screen in one file: `case.toml` has them with their sources, and `generated/case` has the files.
// `part`: "body" in one piece, or "left" and "right" for a small printer: halves that are glued along the middle. Then
// "back" (or "back left", "back right") and twice "foot". Every part lies as it is printed.
// Another screen: `sed s/uc595/eviciv/ clock_case.scad > other.scad`, or write its name here.
include <generated/case/uc595.scad>
part = "body";
thread_25 = 2.2;        // an M2.5 screw cuts its own thread into it
thread_3 = 2.7;         // an M3 screw
$fn = 64;

module outline(grow = 0) {
    offset(r = 8 + grow) offset(delta = -8) square([width, height], center = true);
}

module four(x, y) {
    for (left = [-1, 1], low = [-1, 1]) translate([left * x, low * y, 0]) children();
}

module post(wide, high, thread) {
    difference() {
        cylinder(d = wide, h = high);
        translate([0, 0, 1]) cylinder(d = thread, h = high);
    }
}

module body() {
    difference() {
        linear_extrude(depth) outline();
        translate([0, 0, wall]) linear_extrude(depth) outline(-wall);
        // Window, and the step in which the glass lies.
        translate([0, 0, -1]) linear_extrude(wall + 2) square(view, center = true);
        translate([0, 0, wall - step]) linear_extrude(wall)
            square([glass[0] + 2 * play, glass[1] + 2 * play], center = true);
        for (side = [-1, 1]) translate([side * button_x, 0, -1]) cylinder(d = button_hole, h = wall + 2);
        // Cables leave at the top of the back: power, and the board's.
        for (side = [-1, 1])
            translate([side * 60, height / 2, depth - 10]) cube([16, 4 * wall, 20 - wall], center = true);
    }
    // Four for the screen's lugs, which lie at the level of its back, and four for the back.
    four(lugs[0] / 2, lugs[1] / 2) translate([0, 0, wall - 0.5]) post(6, thick - step + 0.5, thread_25);
    four(back_post[0], back_post[1]) post(9, depth - wall, thread_3);
}

module pi_places() {
    for (left = [-1, 1], low = [-1, 1])
        translate([
            pi_middle[0] - pi_hole_left + left * pi_holes[0] / 2, pi_middle[1] + low * pi_holes[1] / 2, 0
        ]) children();
}

// Lies with its inner side upwards, the Pi's stands on it.
module back() {
    difference() {
        union() {
            linear_extrude(wall) outline(-wall - 0.3);
            mirror([1, 0, 0]) pi_places() post(6.5, wall + pi_stands, thread_25);
        }
        four(back_post[0], back_post[1]) translate([0, 0, -1]) cylinder(d = 3.4, h = wall + 2);
        // Air for the Pi, between its stands and below it.
        for (row = [-2 : 2], column = [-4 : 4])
            translate([column * 9, pi_middle[1] + row * 7.5, -1])
                if (abs(row) < 2 || abs(column) > 5) cylinder(d = 4, h = wall + 2);
    }
}

// Glued under the case at either end: the case lies in its angle, and no press on a button pushes it away or tips it.
module foot() {
    linear_extrude(foot_width) polygon(foot_outline);
}

module half(side) {
    intersection() {
        children();
        translate([side * width / 2, 0, depth / 2]) cube([width, 2 * height, 4 * depth], center = true);
    }
}

module assembled() {
    rotate([90 - lean, 0, 0]) mirror([0, 0, 1]) {
        body();
        translate([0, 0, depth]) mirror([0, 0, 1]) mirror([1, 0, 0]) back();
        color("black") translate([0, 0, wall - step + thick / 2])
            cube([glass[0], glass[1], thick], center = true);
        color("gold") for (side = [-1, 1])
            translate([side * button_x, 0, -button_cap_high]) cylinder(d = button_cap, h = button_cap_high);
        for (side = [-1, 1])
            multmatrix([[0, 0, 1, side * foot_x - foot_width / 2], [0, 1, 0, -height / 2], [1, 0, 0, 0]]) foot();
    }
}

if (part == "body") body();
else if (part == "left") half(-1) body();
else if (part == "right") half(1) body();
else if (part == "back") back();
else if (part == "back left") half(-1) back();
else if (part == "back right") half(1) back();
else if (part == "foot") foot();
else if (part == "assembled") assembled();  // Not to be printed: how it stands.
else assert(false, str("no such part: ", part));
