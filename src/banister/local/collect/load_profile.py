"""The standard load profile H0 of German households in winter, by half hours.

Published by the association of electricity suppliers (VDEW, Repräsentative VDEW-Lastprofile, 1999; now BDEW), and taken
from the file selp_series.csv of demandlib 0.2.2, under its licence:

MIT License. Copyright (c) oemof developer group. Permission is hereby granted, free of charge, to any person obtaining
a copy of this software and associated documentation files (the "Software"), to deal in the Software without
restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
following conditions: the above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE
OR OTHER DEALINGS IN THE SOFTWARE.

Each number is the mean of two quarter hours, in watts of a household that uses 1000 kWh a year.
"""

WEEKDAY = (
    64, 52, 45, 41, 40, 39, 39, 38, 39, 40, 42, 52, 75, 105, 125, 134,
    135, 132, 126, 120, 117, 116, 117, 120, 127, 134, 133, 126, 119, 112, 107, 103,
    103, 108, 120, 137, 157, 175, 186, 188, 177, 160, 146, 136, 124, 110, 94, 79,
)  # fmt: skip
SATURDAY = (
    70, 65, 57, 49, 43, 41, 40, 39, 39, 38, 39, 41, 48, 58, 73, 91,
    111, 129, 139, 144, 147, 149, 152, 157, 164, 169, 168, 163, 156, 150, 145, 142,
    141, 148, 168, 193, 207, 212, 213, 207, 186, 158, 139, 130, 125, 120, 110, 97,
)  # fmt: skip
SUNDAY = (
    84, 72, 61, 52, 46, 44, 42, 40, 39, 38, 38, 39, 40, 42, 45, 55,
    75, 102, 128, 149, 167, 182, 197, 209, 211, 202, 184, 162, 143, 129, 120, 113,
    107, 106, 117, 135, 150, 163, 174, 179, 169, 151, 139, 132, 122, 108, 92, 77,
)  # fmt: skip
