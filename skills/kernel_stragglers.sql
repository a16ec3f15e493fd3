-- name: kernel_stragglers
-- summary: kernels whose slowest instances take many times the median, and the time lost
-- param: factor real = 3 -- multiple of the median above which an instance is a straggler
-- param: least int = 10 -- ignore kernels with fewer instances
-- param: like text = '%' -- only kernels whose names match this LIKE pattern: '%flash%'
-- column: kernel kernel Kernel
-- column: device id Device
-- column: instances count Instances
-- column: stragglers count Stragglers
-- column: lost_ns ns Lost
-- column: median_ns ns Median
-- column: slowest_ns ns Slowest
-- column: slowest_ratio ratio Times median
-- column: slowest_start_ns time_ns Slowest at
--
-- Lost is what the stragglers took beyond the median. Launches of one kernel with different shapes look
-- like stragglers too: compare their grids. To see what ran at the same time as the slowest one:
-- gpuwhy summary TRACE --trim FROM TO.
WITH usual AS (
	SELECT name, device, count(*) AS instances, median(duration_ns) AS median_ns
	FROM kernels
	WHERE name LIKE :like
	GROUP BY name, device
	HAVING count(*) >= :least AND max(duration_ns) > :factor * median(duration_ns)
)
SELECT
	usual.name AS kernel,
	usual.device AS device,
	instances,
	count(*) AS stragglers,
	sum(duration_ns - median_ns) AS lost_ns,
	median_ns,
	max(duration_ns) AS slowest_ns,
	max(duration_ns) / nullif(median_ns, 0) AS slowest_ratio,
	start_ns AS slowest_start_ns -- SQLite takes it from the row that has the maximum
FROM usual
JOIN kernels ON kernels.name = usual.name AND kernels.device = usual.device
WHERE duration_ns > :factor * median_ns
GROUP BY usual.name, usual.device
ORDER BY lost_ns DESC, kernel, device
