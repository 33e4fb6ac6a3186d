/** The text in {@link PICTURE_OF_TEXT}, in the same words. */
export const TEXT_IN_PICTURE =
  'Parental leave is eighteen weeks. The harbour is closed in winter, and the canteen opens at eleven.'

/** A PNG of 820 by 140 pixels with two lines of text. Its description has the text too. */
export const PICTURE_OF_TEXT: Buffer = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAzQAAACMAQAAAACCeNFfAAAAb3RFWHREZXNjcmlwdGlvbgBQYXJlbnRhbCBsZWF2ZSBpcyBlaWdodGVlbiB3ZWVr',
    'cy4gVGhlIGhhcmJvdXIgaXMgY2xvc2VkIGluIHdpbnRlciwgYW5kIHRoZSBjYW50ZWVuIG9wZW5zIGF0IGVsZXZlbi5GEYJhAAAG9klEQVRo3u3Y',
    'sWvkyhkA8FkWTg4sHkOaLYzmXZUyLl3oNC+kT/6FCynSpLiQRhCh0XJHNsWxIn3I/g3pA97LHlHpNl20UcDlk7jijWFuvnzfSLurXduxjnfxO4IM',
    'tmxZ3/z0zc6M5hODJ/mq2OAMzuAMzuAMzuAMzuAMzuAMzuAMzpfoVMqIO5cZeXTCbq/ZuBh3jThqpzmuHnC0svc4d07x9ljs2xRH7bTHvWMZ7zSp',
    'OgGiPQN3nMz9h7Foe0XnGrE/d+DAynsaJy+33f6w8897nI9GfZqz2SZz5Fy1OJ5a9neuHnTqB5xOYp/gwINO9YizlPc6ePFtG9bTqfhcjDez6nRE',
    'TqFY5XsrHM4rBbNKpeIyHFWyiC+kHcNMi0pm40I65x2MwRR2VJVnshLebJ25qDRWKaTWM+zQmb8/f14xnZyR80aexGp5gr+dKHtmkqlkgv9NvAmZ',
    'wEQ+bPD37PqNczQzz3HcJWf6NeMbntf/4hQFJ4E6wZM/1V8ffD7fros/RVprq2NsPRNxoJa+BBEqG8RJKIUQeZbhT8hubsocf18uG0ebCEyc6PiH',
    'Yp7neV393EXJIAnDWNf14Tj4tiz/YbSOrCFHLJNA/llK8KUySRwnEunsWiwFxzlwk99k15kUV84xkQGThCb+Hd5Jmdf1Ny5KBbE6T+rb8mhclyVF',
    '0K2Rk9lQYhIYgW0ErZPTD8jXN3mZ5QslYOvgvUiMax1wUeqv6KhaHzqv0al2jk+OCMgRoMlBWfC/t871vOT5W7fCkfNq56z5pnEwSplITeRGrw/W',
    'HX7HkX6MjvAaR+6dcuacP8DrO04paudQFGBbC77R+YGj9LisGDmMHMZTeRrj4BIpaBbEITnsGePk/PE6HTMvVTh4G4eRw7pO2jjZqGAHTg4bzAeo',
    'rwOXj/Xlgp45OJOwB5JzRfng8wKdzV+Wc+yzN6qSrQP0GQZdB6Ocs9rAkXNTlrVzXL9Jm8i3bvnUEiMUo6EurCSnvlxmOPUXkp5J5PzGOQf95qLQ',
    'qX557ORtPrr5fLAj3rt8rMR8FAHbfOrLK8pnIUB08rl0460dB01UpLj5BazvOHrnCHLe2cahT9lNXcoCf+hI5rgoZDsn2jvtuG6i8ATmWvZy/KSJ',
    '6Dpx43DppsmRs3bjGqNoAJ7fddbr0sVEkWvUBLKk+8UIvLeY4Tjg1LpzVIkB2VyeNw4GoINxOJPzctM4Fm81DPAeNodOMV4bVpl4QuNapD5Dh+G6',
    'M1WWxTHDGTVb8RQPYIwqvBXP8kkgcTpiDKM5xiLFxIYXI3xkYhQwXEfjCz2qWHcfoqqXKYyKi/B0csYNLvnP+AecVWaM/04rzibPxu8qUQTPPDBW',
    'aY5PjVmaSNxYFBdiBNUU48QKnwvVq6/bqFc8tSM7Niey9z7RquxJ9qMGrv+vHA1P1W/iaZypfJq65LsXL0M9NziD879xZm3B/tjqJ7+jU+9fAvzX',
    'Vam/k3VLr65jejj2i3ZU1/nYcey9xqc57buBj7QV6Dq3Hcfc/2T6JKe75fh+HPicjuUTDikUL6uV9lYaC4BCTLgeQXFe0CxKYyr5+QzwgH+ZrxRV',
    '+CuFxTyHlZUregmgX6rHx0HqQQlYB7MYK/qfAGx46lUzqKhgB6zR25L/OV1+kjBX4VPJr7GAT5qXADGTjzt5DuXtLe6VY+WHPwD4Bkt0LIhqLNgD',
    'rNFfVFTyBzFW/mBDV90JKt417uH9UPr0EgBP93DWUGtygkSGL9DJ83VOThIkWP+8QCYySYQZ41++zLDCP5XK4j7dSgToJUAYih5OCXWFDjZL5Qbu',
    '7PNy62BlckVvI6j4oBreOZlYUNlIDiUk6buv84GceOfMnXOZYG0G5OjkghytTuXvyRHOMdhr0hdBb0cXvz10sp0DBw6Wpq7C9/aO8OP+zr8bh5FT',
    'eTuHoWMZOeyCbR2q8FPc16HD/ICJUwrr6fz6V00+NO/W+3yw07AmJUdRpdzmg5VdoUxA+VistxZ46OmYn/3IOYqc671Dy+ut6zeodw4V4Foa6jdl',
    'AwVv8dDb+fE+n2w/DjAfVetOPjgOqKjPsHg323ze98/H+rwZ11unHddY5TYOpaK343rnWGlxgmJx3tsRO0ccOfI+Z5HccUQ/R5AjhZUc5vO8XNe4',
    'viXYiBVVhU3ShEWnWXcaJ4oUvZQQuDjiwX/cmZcAUmidhB4L0Fl587IYgZ4mIcMa/ZJK/lMW44EWzonECn8xVYbFHFgo3UuA4HHHjka43stlcTYV',
    '3iriGRTvRjN9pszZlKf0XJh+dRFyV/lLSC1TVOEzsBMfbynyVuoDHiZc9H/Oua/rz7Dx+JKc5dM4j7Xz2Rx4on77QhzjDXXW4AzO4AzO4AzO4AzO',
    '4AzO4AzO9+78B53tsA+EMAkoAAAAAElFTkSuQmCC',
  ].join(''),
  'base64',
)
