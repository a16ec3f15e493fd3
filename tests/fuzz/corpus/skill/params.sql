-- name: long_kernels
-- summary: kernels that take long
-- param: least real = 1e1 -- microseconds
-- param: like text = '%it''s%' -- a pattern
-- param: first int
-- param: sure bool = yes
-- param: since seconds = 0.5
-- column: kernel kernel Kernel
-- column: longest ns Longest

-- Some words: for people.
SELECT name AS kernel, max(duration_ns) AS longest, :like, @first, $sure
FROM kernels WHERE duration_us >= :least AND start_ns > :since
