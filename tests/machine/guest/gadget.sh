#!/bin/sh
# gadget.sh plug|pull: a USB serial device with the Pico's numbers on a simulated bus; its other end is /dev/ttyGS0.
set -e
place=/sys/kernel/config/usb_gadget/board
modprobe -a dummy_hcd libcomposite usb_f_acm
if [ "$1" = pull ]; then
    echo "" >$place/UDC
    exit
fi
if [ ! -d $place ]; then
    mkdir -p $place/strings/0x409 $place/configs/c.1 $place/functions/acm.usb0
    echo 0x2e8a >$place/idVendor
    echo 0x0005 >$place/idProduct
    echo e661385283774f2b >$place/strings/0x409/serialnumber
    echo MicroPython >$place/strings/0x409/manufacturer
    echo "Board in FS mode" >$place/strings/0x409/product
    ln -s $place/functions/acm.usb0 $place/configs/c.1/
fi
ls /sys/class/udc | head -n 1 >$place/UDC
