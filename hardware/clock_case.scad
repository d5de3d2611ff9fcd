// Case of the clock: a 7-inch touchscreen leaning back between two buttons of 60 mm, a Raspberry Pi behind the screen.
// `part`: "body" or "back" in one piece (340 mm wide), or "left", "right", "back left", "back right" for a small printer:
// halves are glued along the middle, under the screen's frame.
part = "body";
screen_width = 194;     // outside of the screen's frame
screen_height = 111;
view_width = 155;       // its visible part
view_height = 87;
button_hole = 24;       // thread of an arcade button with a 60 mm cap
button_room = 72;
depth = 58;
lean = 20;              // degrees
wall = 3;
$fn = 64;

width = screen_width + 2 * button_room;
height = screen_height + 2 * wall + 8;

module outline(grow = 0) {
    offset(r = 8 + grow) offset(delta = -8) square([width, height], center = true);
}

module body() {
    difference() {
        linear_extrude(depth) outline();
        translate([0, 0, wall]) linear_extrude(depth) outline(-wall);
        // Window, and the step in which the screen's frame lies.
        translate([0, 0, -1]) linear_extrude(wall + 2) square([view_width, view_height], center = true);
        translate([0, 0, wall - 1]) linear_extrude(wall) square([screen_width, screen_height], center = true);
        for (side = [-1, 1])
            translate([side * (screen_width + button_room) / 2, 0, -1]) cylinder(d = button_hole, h = wall + 2);
        // Cables: power and the board's, at the back.
        for (side = [-1, 1]) translate([side * 30, -height / 2, depth - 14]) cube([16, 4 * wall, 12], center = true);
    }
    // It stands on its lower edge, leaning back.
    for (side = [-1, 1]) translate([side * (width / 2 - 24), -height / 2, 0])
        rotate([lean, 0, 0]) translate([-4, -2, 0]) cube([8, 4, depth]);
}

module back() {
    difference() {
        linear_extrude(wall) outline(-wall - 0.3);
        // Air for the Pi.
        for (row = [-2 : 2], column = [-6 : 6])
            translate([column * 9, row * 9, -1]) cylinder(d = 4, h = wall + 2);
    }
}

module half(side) {
    intersection() {
        children();
        translate([side * width / 2, 0, depth / 2]) cube([width, 2 * height, 4 * depth], center = true);
    }
}

if (part == "body") body();
else if (part == "left") half(-1) body();
else if (part == "right") half(1) body();
else if (part == "back") back();
else if (part == "back left") half(-1) back();
else if (part == "back right") half(1) back();
else assert(false, str("no such part: ", part));
