// Case of the clock: a 7-inch touchscreen between two buttons of 60 mm, a Raspberry Pi on the screen's back.
// `part`: "body" in one piece (338 mm wide), or "left" and "right" for a small printer: halves that are glued along the
// middle. Then "back" (or "back left", "back right"), four times "clamp", twice "foot". Every part lies as it is printed.
part = "body";
screen_width = 194;     // outside of the screen's frame
screen_height = 111;
screen_thick = 6;       // of its frame, which the clamps hold
view_width = 155;       // its visible part
view_height = 87;
button_hole = 24;       // thread of an arcade button with a 60 mm cap
button_room = 72;
depth = 58;
lean = 30;              // degrees: back, towards who looks down at it
wall = 3;
thread = 2.7;           // an M3 screw cuts its own thread into it
$fn = 64;

width = screen_width + 2 * button_room;
height = screen_height + 2 * wall + 8;

module outline(grow = 0) {
    offset(r = 8 + grow) offset(delta = -8) square([width, height], center = true);
}

module four(x, y) {
    for (left = [-1, 1], low = [-1, 1]) translate([left * x, low * y, 0]) children();
}

module post(high) {
    difference() {
        cylinder(d = 9, h = high);
        translate([0, 0, 1]) cylinder(d = thread, h = high);
    }
}

clamp_x = screen_width / 2 + 6;
clamp_y = screen_height / 2 - 15;
back_x = width / 2 - wall - 5;
back_y = height / 2 - wall - 5;

module body() {
    difference() {
        linear_extrude(depth) outline();
        translate([0, 0, wall]) linear_extrude(depth) outline(-wall);
        // Window, and the step in which the screen's frame lies.
        translate([0, 0, -1]) linear_extrude(wall + 2) square([view_width, view_height], center = true);
        translate([0, 0, wall - 1]) linear_extrude(wall) square([screen_width, screen_height], center = true);
        for (side = [-1, 1])
            translate([side * (screen_width + button_room) / 2, 0, -1]) cylinder(d = button_hole, h = wall + 2);
        // Cables leave at the top of the back: power, and the board's.
        for (side = [-1, 1]) translate([side * 30, height / 2, depth - 10]) cube([16, 4 * wall, 20 - wall], center = true);
    }
    // Four for the clamps that hold the screen, four for the back.
    four(clamp_x, clamp_y) post(wall - 1 + screen_thick);
    four(back_x, back_y) post(depth - wall);
}

// Over the edge of the screen's frame, screwed to a post.
module clamp() {
    difference() {
        translate([-6, -5, 0]) cube([18, 10, 3]);
        translate([0, 0, -1]) cylinder(d = 3.4, h = 5);
    }
}

module back() {
    difference() {
        linear_extrude(wall) outline(-wall - 0.3);
        four(back_x, back_y) translate([0, 0, -1]) cylinder(d = 3.4, h = wall + 2);
        // Air for the Pi.
        for (row = [-2 : 2], column = [-6 : 6])
            translate([column * 9, row * 9, -1]) cylinder(d = 4, h = wall + 2);
    }
}

// Glued under the body at either end: higher in front, and long enough behind that no press on a button tips it over.
module foot() {
    rise = tan(lean);
    behind = 55;
    linear_extrude(14) polygon([
        [0, 0], [depth, 0], [depth, 30], [depth + 3, 30], [depth + behind, behind * rise - 4],
        [depth + behind, behind * rise - 8], [depth, -8], [0, -depth * rise - 8]
    ]);
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
else if (part == "clamp") clamp();
else if (part == "foot") foot();
else if (part == "assembled") {
    // Not to be printed: how it stands.
    rotate([90 - lean, 0, 0]) mirror([0, 0, 1]) {
        body();
        translate([0, 0, depth - wall]) back();
        color("black") translate([0, 0, wall - 1 + screen_thick / 2])
            cube([screen_width, screen_height, screen_thick], center = true);
        color("gold") for (side = [-1, 1])
            translate([side * (screen_width + button_room) / 2, 0, -22]) cylinder(d = 60, h = 22);
        for (side = [-1, 1])
            multmatrix([[0, 0, 1, side * (width / 2 - 30) - 7], [0, 1, 0, -height / 2], [1, 0, 0, 0]]) foot();
    }
}
else assert(false, str("no such part: ", part));
