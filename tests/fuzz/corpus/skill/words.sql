-- name: x
-- summary: words that are no parameters
-- param: a int = -7
SELECT foo$bar, µ$a, ':b', "x:c", [y@d], `z$e`, 1 -- :f
/* :g */ , (:a)+@a-$a
