r"""Pairs of answers that are equal and pairs that are not, by kind."""

from __future__ import annotations

import pytest

from madm2.grading import worker
from madm2.grading.equal import equal, grade

# One line a pair: gold ~ prediction.
EQUAL = r"""
# fractions
\frac{1}{2} ~ 1/2
\frac12 ~ 0.5
\tfrac12 ~ \dfrac{1}{2}
\cfrac{25}{16} ~ 25/16
\frac{360}7 ~ \frac{360}{7}
\frac9{19} ~ 9/19
\frac 34 ~ .75
-\frac{3}{4} ~ \frac{-3}{4}
-\frac{3}{4} ~ \frac{3}{-4}
\frac{6}{8} ~ \frac{3}{4}
½ ~ 1/2
3½ ~ 3.5
(1)/(2) ~ \frac12
\frac{12}{5,\!525} ~ 12/5525
\frac{\frac12}{3} ~ \frac16
\left(\frac{1}{2}\right) ~ 0.5
{\frac{1}{2}} ~ 1/2
\frac{x}{2} ~ 0.5x
\frac{1}{2}x ~ x/2
\frac{2}{\frac{1}{3}} ~ 6
# mixed numbers
2\frac{3}{4} ~ 11/4
2 3/4 ~ 2.75
137 \frac{1}{2} ~ 137.5
-2\frac{1}{2} ~ -2.5
-2 1/2 ~ -\frac{5}{2}
1\frac45 ~ \frac95
# decimals
0.75 ~ .75
12 ~ 12.0
12 ~ 12.
5 ~ 05
-0.50 ~ -\frac12
\$0.50 ~ 0.5
.0000672 ~ 6.72 \times 10^{-5}
1.414 ~ \sqrt{2}
3.1416 ~ \pi
0.33333 ~ 1/3
# percent and currency
35\% ~ 35
7\% ~ 7 percent
12.5% ~ 12.5\%
\$36 ~ 36
\$3800 ~ \$3,800
-\$0.50 ~ -0.50
€5 ~ 5
20 ~ 20 dollars
\$16,\!386.16 ~ 16386.16
\$10 ~ 10 \text{ dollars}
# thousands
1,234 ~ 1234
1,234,567.5 ~ 1234567.5
10{,}000 ~ 10000
22,\!333 ~ 22,333
5\,040 ~ 5040
12 345 ~ 12,345
1,\!000,\!000,\!000 ~ 10^9
# powers of ten
4.1e5 ~ 410000
3\times10^{8} ~ 300000000
1.5 \cdot 10^{-3} ~ 0.0015
2 \times 10^3 ~ 2,000
1E6 ~ 10^6
# radicals
3\sqrt2 ~ 3\sqrt{2}
\sqrt{8} ~ 2\sqrt2
√12 ~ 2√3
\frac{\sqrt3}{3} ~ \frac{1}{\sqrt{3}}
\sqrt[3]{54} ~ 3\sqrt[3]{2}
\sqrt[3]{-8} ~ -2
\sqrt{6}+\sqrt{2} ~ \sqrt{2}+\sqrt{6}
\frac{\sqrt{6}+\sqrt{2}}{4} ~ \frac{1}{4}(\sqrt6+\sqrt2)
\sqrt{3+2\sqrt2} ~ 1+\sqrt2
36x\sqrt{35x} ~ 36\sqrt{35}x^{3/2}
2^{1/2} ~ \sqrt2
sqrt(2)/2 ~ \frac{\sqrt{2}}{2}
2*sqrt(3) ~ 2\sqrt{3}
\sqrt{\frac{1}{2}} ~ \frac{\sqrt2}{2}
\sqrt{x^2+1} ~ (x^2+1)^{0.5}
\frac{2}{\sqrt{5}-1} ~ \frac{\sqrt5+1}{2}
-\sqrt{x-3}+3 ~ 3-\sqrt{x-3}
# logarithms and exponentials
\ln 4 ~ 2\ln 2
\log_2 8 ~ 3
\log_{10} 100 ~ 2
\log 5 ~ \log_{10} 5
\frac{\ln 5}{\ln 2} ~ \log_2 5
e^{2} ~ \exp(2)
e^x e^y ~ e^{x+y}
\log_{3} 2x ~ \log_3(2x)
\ln(e^3) ~ 3
# trigonometry
\sin^2 x + \cos^2 x ~ 1
\sin(2x) ~ 2\sin x\cos x
\cos 2x ~ 1 - 2\sin^2 x
\tan x ~ \frac{\sin x}{\cos x}
\cot x ~ \frac{1}{\tan x}
\sec x ~ \frac{1}{\cos x}
\arcsin \frac12 ~ \frac{\pi}{6}
\sin^{-1}(1) ~ \frac{\pi}{2}
\cos 60^\circ ~ \frac12
2\cos 15^{\circ} ~ \frac{\sqrt6+\sqrt2}{2}
\sin 3x ~ \sin(3x)
\sin \theta ~ \sin{\theta}
# factorials and binomials
5! ~ 120
\binom{5}{2} ~ 10
\frac{10!}{8!} ~ 90
\frac{1}{2004!} ~ \frac{1}{2004!}
3! \cdot 2 ~ 12
# complex numbers
3+4i ~ 4i+3
\frac{3-i}{2} ~ \frac32-\frac12 i
i^2 ~ -1
(1+i)^2 ~ 2i
\frac{1}{5}+\frac{3}{5}i ~ \frac{1+3i}{5}
e^{i\pi} ~ -1
-2-14i ~ -(2+14i)
# units and degrees
65^\circ ~ 65
65° ~ 65^{\circ}
65 ~ 65 \text{ degrees}
25 \text{ ft} ~ 25
25 \text{ ft} ~ 25 feet
15\mbox{ cm}^2 ~ 15
15\mbox{ cm}^2 ~ 15 \text{ square centimeters}
45\text{ mph} ~ 45 miles per hour
864 \mbox{ inches}^2 ~ 864
18\text{ ways.} ~ 18
90\text{ square units} ~ 90
25 \, \text{km} ~ 25
\frac{3}{4}\pi\text{ inches} ~ \frac{3\pi}{4}
12 ~ 12 \text{ m/s}
5 ~ 5\ \mathrm{cm}
5 ~ 5\,\mathrm{m}
30 ~ 30 km/h
10\;\text{edges} ~ 10
270^\circ C ~ 270
# polynomials
x^2-4 ~ (x-2)(x+2)
(a+5)(b+2) ~ ab+2a+5b+10
x^2+2x+1 ~ (x+1)^2
-3(x+2)(x-1) ~ 6-3x-3x^2
\frac{2x-7}{(x+1)(x-2)} ~ \frac{3}{x+1}-\frac{1}{x-2}
2xy ~ 2yx
x ~ 1x
x^{2} ~ x^2
x**2 ~ x^2
x·y ~ xy
3*x ~ 3x
3 - 2f(x) ~ -2f(x)+3
x_1+x_2 ~ x_2+x_1
x² ~ x^2
2^{2005} ~ 2 \cdot 2^{2004}
p - q ~ -q+p
\alpha+1 ~ 1+α
7z^{96}(4z+1) ~ 28z^{97}+7z^{96}
\frac{t-4}{6} ~ \frac{t}{6}-\frac{2}{3}
|x-3| ~ |3-x|
\lfloor 2.5 \rfloor ~ 2
# tuples and intervals
(3,8) ~ (3, 8)
(3,8) ~ \left( 3,\ 8 \right)
(\frac12,3) ~ (0.5,3)
(x,y)=(1,2) ~ (1,2)
(-\infty,3) ~ (-∞, 3)
[4,\infty) ~ [4,+\infty)
x\in[-3,2] ~ [-3,2]
(2,\infty) ~ x > 2
[2,5) ~ 2 \le x < 5
(-\infty,0)\cup(0,\infty) ~ (0,\infty) ∪ (-\infty,0)
(-\infty,-8)\cup(8,\infty) ~ x<-8 or x>8
(3,5) ~ \langle 3,5\rangle
(1,2,3) ~ (1;2;3)
[0,1] ~ \left[0,1\right]
(1,4-\sqrt{3})\cup(4+\sqrt{3},7) ~ (4+\sqrt3,7)\cup(1,4-\sqrt3)
# sets and lists
\{1,2,3\} ~ \{3,2,1\}
\{1,2\} ~ 1,2
1,2 ~ \{1,2,2\}
3,5,7 ~ 7, 5 and 3
-2,1 ~ x = -2 \text{ or } x = 1
-2,1 ~ x=1, x=-2
x=1,2 ~ 2,1
x_1=3, x_2=4 ~ 4,3
19 \text{ and }43 ~ 43, 19
7, -2, \text{ and } -5 ~ -5, -2, 7
\text{B, E, G} ~ G, B, E
\text{C,E} ~ C and E
(1,2),(3,4) ~ (3,4),(1,2)
\{(1,2),(3,4)\} ~ (3,4), (1,2)
\emptyset ~ \{\}
4^\circ, 20^\circ ~ 20, 4
# \pm
\pm 6 ~ 6,-6
3 \pm 2\sqrt2 ~ 3+2\sqrt2, 3-2\sqrt2
\{1\pm\sqrt{5},-2\} ~ -2, 1-\sqrt5, 1+\sqrt5
±3 ~ -3, 3
\frac{1\pm\sqrt5}{2} ~ \frac{1+\sqrt5}{2}, \frac{1-\sqrt5}{2}
x = \pm 2 ~ -2, 2
# equations
x=7 ~ 7
7 ~ x = 7
k = 14 ~ 14
7 ~ x = 3+4 = 7
7 ~ 3+4=7
y = 2x ~ 2x
y=2x+3 ~ 2x-y+3=0
4x-5y=-50 ~ 5y-4x=50
\frac{x^2}{16}-\frac{y^2}{9}=1 ~ 9x^2-16y^2=144
y = -\frac{1}{4} ~ y = -0.25
11x+6y+5z+86=0 ~ 22x+12y+10z=-172
f(x) = x^2 ~ y = x^2
x^2+y^2=1 ~ 1=x^2+y^2
x = 5 ~ 5 = x
# inequalities
x>3 ~ 3<x
x \ge 3 ~ x >= 3
2<x<5 ~ 5>x>2
x \leq 4 ~ x ≤ 4
2x > 6 ~ x > 3
-x < -3 ~ x > 3
x \ne 2 ~ x ≠ 2
# matrices
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~ \begin{bmatrix}1&2\\3&4\end{bmatrix}
\begin{pmatrix} 1/2 \\ 3 \end{pmatrix} ~ \begin{pmatrix} 0.5 \\ 3 \end{pmatrix}
\begin{pmatrix} 1/2 \\ 3/2 \end{pmatrix} ~ \frac12\begin{pmatrix} 1 \\ 3 \end{pmatrix}
\begin{pmatrix}1\\2\end{pmatrix} ~ \left(\begin{array}{c}1\\2\end{array}\right)
\begin{pmatrix}1\\2\end{pmatrix} ~ \begin{pmatrix}1\\2\\\end{pmatrix}
# bases, ratios, times
1101_2 ~ 1101_{2}
2516_8 ~ 2516_{8}
1A_{16} ~ 1A_16
1101_2 ~ 1101_{\text{two}}
11:30 ~ 11:30
\text{4:30 p.m.} ~ 4:30 PM
\text{1:03 PM} ~ 1:03 p.m.
1:1 ~ 1 : 1
# infinity
\infty ~ +\infty
-\infty ~ -∞
\infty ~ infinity
# texts
\text{even} ~ even
\text{Friday} ~ friday
\text{The lines are parallel} ~ lines are parallel
\text{(D)} ~ D
D ~ (D)
\text{E} ~ (\text{E})
\text{June 20} ~ June 20
\textbf{odd} ~ odd
\text{neither} ~ Neither.
\overline{CD} ~ CD
\text{VW} ~ VW
# more of the same kinds
0.1\overline{6} ~ \frac16
0.\overline{3} ~ 1/3
3 x 10^5 ~ 300000
2|x| ~ 2\lvert x\rvert
\ln|x| ~ \ln |x|
\operatorname{arcsin} 1 ~ \frac{\pi}{2}
3+4\mathrm{i} ~ 4i+3
\mathrm{e}^2 ~ e^2
(-\infty,\infty) ~ \mathbb{R}
\frac13 ~ P(A) = \frac13
6 ~ \text{Area} = 6 \text{ cm}^2
\frac{1}{2} ~ \left(\frac{1}{2}\right)
(2,3) ~ \boxed{(2,3)}
60 ~ AB = 60
9\text{ a.m.} ~ 9 am
\frac{x+2}{7} ~ (x+2)/7
\frac{i}{5} ~ 0.2i
-x^7-2x^5+x^2 ~ x^2 - 2x^5 - x^7
x^2 - 7x + 12 ~ (x-3)(x-4)
2000\sqrt2-2000 ~ 2000(\sqrt{2}-1)
-128-128\sqrt3 i ~ 256 e^{-2\pi i/3}
\left(6,-\frac38\right) ~ (6,-0.375)
\sqrt{2},\frac{1}{2} ~ 0.5, \sqrt2
7 ~ \frac{49}{7}
4096\sqrt2 ~ 2^{12.5}
\frac{\pi^2}{6} ~ \pi^2/6
6 ~ 3!
9\pi ~ \pi 9
8 ~ 2^3
1 ~ \frac{x}{x}
0 ~ x - x
\log_{b} a ~ \frac{\ln a}{\ln b}
x^{-1} ~ 1/x
\sqrt{x}\sqrt{y} ~ \sqrt{xy}
A_{1} ~ A_1
\{x_1, x_2\} ~ x_2,x_1
90^\circ ~ 90^o
3 ~ \text{Inches} = \frac{120 \text{ miles}}{40 \text{ miles/inch}} = 3 \text{ inches}
3 ~ \frac{120 \text{ miles}}{40 \text{ miles/inch}} = 3 \text{ inches}
26 ~ a + b + c = 2 + 22 + 2 = 26
165 ~ \dbinom{11}{8} = 165
120 ~ {10 \choose 3}
44\% ~ = \left(\frac{168.96}{384}\right) \times 100 = 0.44 \times 100 = 44\%
11010_2 ~ 26_{10} = 16+8+2 = 11010_2
1011_2 ~ 1011_{(2)}
1011_2 ~ 1011 (base 2)
1011_2 ~ 1011 \text{ base two}
FF_{16} ~ ff_{16}
11,\! 111,\! 111,\! 100 ~ 11111111100
1250 ~ USD 1,250
\$12 ~ 12 dollars
60 ~ 60 \frac{\text{km}}{\text{h}}
\begin{pmatrix}1\\2\end{pmatrix} ~ \begin{pmatrix}1\\[2pt]2\end{pmatrix}
(-\infty,2] ~ ]-\infty,2]
(0,1) ~ ]0,1[
(0,1)\cup(2,3) ~ (0,1) U (2,3)
7 ~ \underline{7}
(1,2) ~ x=1,y=2
(1,2) ~ y=2, x=1
1,2,\ldots,10 ~ 1, 2, ..., 10
[0,1) ~ \{x \mid 0\le x<1\}
[0,1) ~ \{x \in \mathbb{R} : 0\le x<1\}
(-\infty,0)\cup(0,\infty) ~ x\ne 0
5\text{ m} ~ 5m
\angle ABC ~ ∠ABC
\text{ab} ~ ab
# wrappers
7 ~ $7$
7 ~ \(7\)
7 ~ \[7\]
7 ~ \boxed{7}
7 ~ **7**
7 ~ `7`
7 ~ 7.
7 ~ $$7$$
7 ~ "7"
x ~ \mathbf{x}
7 ~ \boxed{\text{7}}
\pi ~ π
2\pi ~ 2π
6\pi ~ 6 pi
4\cdot 3 ~ 4×3
-8 ~ −8
-8 ~ –8
７ ~ 7
"""

DIFFERENT = r"""
# numbers
16384 ~ 16385
11 ~ 711
25 ~ -25
\pi ~ 3.14
\pi ~ 3.1416
\pi ~ \frac{22}{7}
\frac13 ~ 0.333
0.333 ~ 1/3
\frac13 ~ 0.33333333
\sqrt2 ~ 1.414
1/3^{70} ~ 1/3^{71}
0 ~ 10^{-12}
0 ~ e^{-100}
1000000 ~ 1000001
0.5 ~ 50\%
50 ~ 5
1.5 ~ 15
0.1 ~ 0.10001
10^{20} ~ 10^{20}+1
2^{2005} ~ 2^{2006}
1.414 ~ 1.4142
# fractions and mixed numbers
\frac37 ~ \frac73
\frac12 ~ 12
\frac{1}{2} ~ 1,2
2\frac34 ~ \frac32
2\frac34 ~ 2 + \frac{3}{5}
-2\frac12 ~ -1.5
3/4 ~ 4
3/4 ~ 3
# thousands and lists
4,6 ~ 46
3,5,7 ~ 357
1,234 ~ 1.234
1,234 ~ (1,234)
1,2,3 ~ 123
12,34 ~ 1234
1,2 ~ 1.2
12 345 ~ 12
# percent, units, currency
35\% ~ 53\%
24 \text{ cm}^2 ~ 25
12 \text{ cm} ~ 12 \text{ ft}
12 \text{ cm}^2 ~ 12 \text{ cm}^3
\$5 ~ \$50
5x ~ 5
# powers of ten
3.2\times10^5 ~ 3.2\times 10^4
3.2\times10^5 ~ 3.2
10^5 ~ 105
# tuples and intervals
(3,8) ~ (8,3)
[2,7) ~ (2,7)
[2,7) ~ [2,7]
(2,7) ~ 2,7
(2,7) ~ \{2,7\}
(1,2) ~ (1,2,3)
(1,9) ~ (1,5)\cup(5,9)
(1,5)\cup(5,9) ~ (1,5)\cup(5,8)
(1,5)\cup(5,9) ~ (1,5]\cup(5,9)
(-\infty,3) ~ (3,\infty)
(-\infty,3] ~ (-\infty,3)
(2,\infty) ~ x \ge 2
(2,\infty) ~ x < 2
(0,1) ~ (0,-1)
(2,\frac{\pi}{3}) ~ (2,\frac{\pi}{6})
(1,2),(3,4) ~ (2,1),(4,3)
(1,2),(3,4) ~ (1,2)
(1,2),(3,4) ~ (1,2,3,4)
(1,2) ~ x=2,y=1
# sets
\{1,4,9\} ~ \{1,4\}
1,4,9 ~ 1,4,9,16
1,2 ~ 1,3
1 ~ 1,2
1,2 ~ 2
19 \text{ and } 43 ~ 43
\{1\} ~ \{\}
21, 36 \text{ and } 82 ~ 19, 46 \text{ and } 82
x=1, y=2 ~ x=2, y=1
x=1, y=2 ~ 2, 1
# \pm
\pm 6 ~ 6
4\pm\sqrt3 ~ 4+\sqrt3
3\pm\sqrt2 ~ 3\pm\sqrt3
6 ~ \pm 6
# equations and inequalities
a+2b=0 ~ 0
x+y=5 ~ 5
x^2=4 ~ 4
x=3 ~ y=3
y=2x ~ y=3x
y=2x ~ x=2y
x^2+y^2=1 ~ x^2+y^2=2
x>3 ~ x<3
x>3 ~ x \ge 3
x>3 ~ y>3
x>3 ~ 3
2<x<5 ~ 2<x\le 5
2<x<5 ~ 2<y<5
x-y<0 ~ y-x<0
x=3 ~ x>3
x \ne 2 ~ x=2
x=7 ~ 3
7 ~ 7 = x + 1
# expressions
5a ~ 5b
x^2+2x+3 ~ x^2+2x-3
x ~ -x
x^2 ~ x^3
2x ~ x^2
x^2 ~ x_2
x_1 ~ x_2
\sqrt3 ~ \sqrt[3]{3}
\sqrt{3} ~ 3
2\sqrt3 ~ 3\sqrt2
\sqrt{x^2} ~ x
\ln 5 ~ \log_{10} 5
\log_2 3 ~ \log_3 2
\sin x ~ \cos x
\sin 2x ~ 2\sin x
\sin^2 x ~ \sin x^2
3+4i ~ 3-4i
3+4i ~ 4+3i
e^2 ~ e^3
5! ~ 5
\binom52 ~ \frac52
e^{\pi\sqrt{163}} ~ 262537412640768744
(x+1)^2 ~ x^2+1
|x| ~ x
f(x) ~ g(x)
3-2f(x) ~ 3-2f(2x)
\frac{1}{x+1} ~ \frac1x+1
2^{3^2} ~ 64
# matrices
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~ \begin{pmatrix}1&3\\2&4\end{pmatrix}
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~ \begin{pmatrix}1&2\\3&5\end{pmatrix}
\begin{pmatrix}1\\2\end{pmatrix} ~ \begin{pmatrix}1&2\end{pmatrix}
\begin{pmatrix}1&2\\3&4\end{pmatrix} ~ 1,2,3,4
# bases, ratios, times
1101_2 ~ 1101_3
1101_2 ~ 1101
1101_2 ~ 13
1:30 ~ 11:30
1:2 ~ 2:1
\text{4:30 p.m.} ~ 4:30 a.m.
# infinity
\infty ~ -\infty
\infty ~ 0
# texts
\text{even} ~ odd
\text{Brian} ~ Brain
\text{ACF} ~ FCA
\text{(D)} ~ \text{(E)}
D ~ E
\text{Friday} ~ Monday
\text{yes} ~ no
\text{June 20} ~ June 21
\text{not parallel} ~ parallel
\text{increasing} ~ \text{decreasing}
even ~ e
\text{odd} ~ 2
a ~ A
# more of the same kinds
9\text{ a.m.} ~ 9 p.m.
3 ~ 3 hours 20 minutes
2 ~ 2 \text{ or more}
7 ~ 7 mod 12
3+4 ~ 3+4\mathrm{i}
0.\overline{3} ~ 0.3
0.\overline{3} ~ 0.333
f ~ f'
2^{1}0 ~ 2^10
(3,456) ~ (3456)
5 ~ at least 5
5 ~ not 5
5 ~ -5^\circ
(2,3) ~ (2,3,3)
\{2,3\} ~ \{\{2,3\}\}
x>3 \text{ or } x<1 ~ x>3
\frac{1}{2} ~ \frac{1}{2}x
\sqrt{5}, -\sqrt{5} ~ \sqrt5
\sqrt{67}, -\sqrt{85} ~ \sqrt{85}, -\sqrt{67}
4, -2+3i, -2-3i ~ 4, 2+3i, 2-3i
-2,1 ~ 2,-1
\begin{pmatrix}-4\\-3\end{pmatrix} ~ \begin{pmatrix}-3\\-4\end{pmatrix}
y=2x+3 ~ y=2x-3
y=2x+3 ~ 2x+3=0
\cos 13^\circ ~ \cos 13
60^\circ ~ \frac{\pi}{3}
\infty ~ 10^{300}
20x+23y+26z-69=0 ~ 20x+23y+26z+69=0
\text{1:03 PM} ~ 1:03 AM
12 \text{ feet} ~ 12 \text{ inches}
3:4 ~ 4:3
10! ~ 10
\text{Navin} ~ Nivan
\text{C,E} ~ C
\text{B, E, G} ~ B, E
AB ~ BA
17.0 ~ 1.70
1.0e3 ~ 1.0e-3
10200 ~ 10, 200
1, 234 ~ 1234
\text{ab} ~ ba
\text{cab} ~ abc
\$12 ~ 12 cents
\$1 ~ €1
,5 ~ 5
1,2 ~ 1,,3
3 ~ \text{if } x = 3
(1,2) ~ y=1,x=2
(0,1) ~ ]0,1]
x\ne 0 ~ (-\infty,0)\cup(1,\infty)
[0,1) ~ \{x \mid 0\le x\le 1\}
5\text{ m} ~ 5x
FF_{16} ~ FE_{16}
\binom{10}{3} ~ {10 \choose 4}
7 ~ a + b = 3 + 5 = 8
\frac{1}{20} ~ \frac{1}{0}
\frac{1}{0} ~ \frac{2}{0}
# hostile and broken
5 ~ __import__('os').system('ls')
5 ~ open('x','w')
5 ~ ().__class__.__base__
5 ~ 9^{9^{9^9}}
0 ~ \sin(e^{e^{e^{e^{9}}}})
5 ~ \frac{
5 ~ \frac{5}{0}
5 ~ (5
5 ~ {{5
6 ~ 3!!!!!!!!
6 ~ 6^{
5 ~ ????
5 ~ \unknown{5}
"""


def pairs(table: str) -> list[tuple[str, str]]:
    lines = [line for line in table.strip().splitlines() if not line.startswith("#")]
    return [tuple(line.split(" ~ ")) for line in lines]


def check(gold: str, prediction: str, answer_type: str) -> bool:
    return equal(gold=gold, prediction=prediction, answer_type=answer_type)


@pytest.mark.parametrize(("gold", "prediction"), pairs(EQUAL))
def test_equal(gold: str, prediction: str) -> None:
    assert check(gold, prediction, "math")


@pytest.mark.parametrize(("gold", "prediction"), pairs(DIFFERENT))
def test_different(gold: str, prediction: str) -> None:
    assert not check(gold, prediction, "math")


def test_the_tables_are_large() -> None:
    assert len(pairs(EQUAL)) + len(pairs(DIFFERENT)) >= 200


NUMERIC = [
    ("18", "$18.00", True),
    ("5", "5 apples", True),
    ("25", "m+n=25", True),
    ("073", "73", True),
    ("33", "033", True),
    ("336", "336^\\circ", True),
    ("1234", "1,234", True),
    ("70000", "$70,000", True),
    ("20", "20%", True),
    ("0.5", "1/2", True),
    ("18", "\\frac{36}{2}", True),
    ("18", "x = 18", True),
    ("18", "9 * 2 = 18", True),
    ("10", "\\boxed{10}", True),
    ("-3", "−3", True),
    ("3.5", "3 1/2", True),
    ("16", "\\sqrt{256}", True),
    ("4", "3/4", False),
    ("3", "3/4", False),
    ("5", "25", False),
    ("11", "711", False),
    ("25", "-25", False),
    ("18", "18.5", False),
    ("18", "17.9999", False),
    ("12", "1,2", False),
    ("5", "5 or 6", False),
    ("5", "five", False),
    ("25", "m+n=26", False),
    ("25", "25=m+1", False),
    ("3", "3 hours 20 minutes", False),
    ("1000000", "1000001", False),
]

OPTIONS = ("Apple", "Banana", "3.5 m", "42")
CHOICE = [
    ("B", "(B)", (), True),
    ("B", "B.", (), True),
    ("B", "b", (), True),
    ("B", "\\text{B}", (), True),
    ("B", "B) Banana", (), True),
    ("B", "**B**", (), True),
    ("B", "Banana", OPTIONS, True),
    ("C", "3.5 m", OPTIONS, True),
    ("Banana", "B", OPTIONS, True),
    ("D", "42", OPTIONS, True),
    ("A", "AB", (), False),
    ("A", "Apple", (), False),
    ("A", "B", (), False),
    ("A", "Banana", OPTIONS, False),
    ("A", "A or B", (), False),
    ("B", "42", OPTIONS, False),
    ("A", "", (), False),
]

TEXT = [
    ("Paris", "paris", True),
    ("Paris", "Paris.", True),
    ("the Eiffel Tower", "Eiffel tower", True),
    ("ice-cream", "ice  cream", True),
    ("Yes", '"yes!"', True),
    ("1,000", "1000", True),
    ("U.S.", "US", True),
    ("\\text{even}", "even", True),
    ("Paris", "London", False),
    ("Brian", "Brain", False),
    ("not valid", "valid", False),
    ("New York", "York", False),
    ("12", "1.2", False),
]


@pytest.mark.parametrize(("gold", "prediction", "same"), NUMERIC)
def test_numeric(gold: str, prediction: str, same: bool) -> None:
    assert check(gold, prediction, "numeric") is same


@pytest.mark.parametrize(("gold", "prediction", "options", "same"), CHOICE)
def test_choice(gold: str, prediction: str, options: tuple[str, ...], same: bool) -> None:
    found = equal(gold=gold, prediction=prediction, answer_type="choice", options=options)
    assert found is same


@pytest.mark.parametrize(("gold", "prediction", "same"), TEXT)
def test_text(gold: str, prediction: str, same: bool) -> None:
    assert check(gold, prediction, "text") is same


@pytest.mark.parametrize(
    ("gold", "prediction", "status"),
    [
        ("7", "7", "correct"),
        ("7", "8", "incorrect"),
        ("7", None, "no_answer"),
        ("7", " \n", "no_answer"),
        ("", "7", "bad_gold"),
        (" ", None, "bad_gold"),
        ("x^2-1", "(x-1)(x+1)", "correct"),
    ],
)
def test_statuses(gold: str, prediction: str | None, status: str) -> None:
    assert grade(gold=gold, prediction=prediction, answer_type="math") == status


def test_what_the_worker_cannot_decide_is_no_mistake_of_the_answer(monkeypatch) -> None:
    def fail(error: type[Exception]) -> str:
        def call(*args: object, **kwargs: object) -> None:
            raise error("for the test")

        monkeypatch.setattr(worker, "call", call)
        return grade(gold="x^2-1", prediction="(x-1)(x+1)", answer_type="math")

    assert fail(worker.WorkerTimeout) == "grader_timeout"
    assert fail(worker.WorkerError) == "incorrect"


def test_few_pairs_need_the_worker(monkeypatch) -> None:
    needed = []

    def call(function: str, gold: str, *args: object, **kwargs: object) -> bool:
        needed.append(gold)
        return False

    monkeypatch.setattr(worker, "call", call)
    assert not any(check(gold, prediction, "math") for gold, prediction in pairs(DIFFERENT))
    assert len(needed) < 0.05 * len(pairs(DIFFERENT)), needed


@pytest.mark.parametrize("latex", ["\\int_0^1 x \\, dx", "\\sum_{k=1}^{1} \\frac{k}{2}"])
def test_latex2sympy_reads_what_our_parser_does_not(latex: str) -> None:
    assert check("\\frac{1}{2}", latex, "math")
    assert not check("\\frac{1}{3}", latex, "math")
