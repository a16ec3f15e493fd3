-- name: first_vs_steady
-- summary: extra time of each kernel's first launches: warm-up, lazy loading, autotuning
-- param: first int = 1 -- launches of a kernel per process that count as first
-- column: kernel kernel Kernel
-- column: pid id PID
-- column: instances count Instances
-- column: extra_ns ns Extra
-- column: gpu_extra_ns ns Extra, GPU
-- column: first_ns ns First
-- column: steady_ns ns Steady
-- column: launch_first_ns ns Launch, first
-- column: launch_steady_ns ns Launch, steady
--
-- First and Steady are the mean GPU time of the first launches and of all others; Launch is the same for
-- the launch calls, which include module loading. Extra is how much longer the first ones took in total
-- than as many later ones, on the GPU and in the calls. It is a one-off cost: a long run hides it, a short
-- benchmark does not.
WITH whole AS (
	SELECT
		name, pid, count(*) AS instances, total(duration_ns) AS total_ns,
		CASE WHEN count(api_end_ns) = count(*) THEN total(api_end_ns - api_start_ns) END AS launch_ns
	FROM kernels
	GROUP BY name, pid
	HAVING count(*) > :first
),
split AS (
	SELECT
		whole.*,
		(SELECT total(duration_ns) FROM (
			SELECT duration_ns FROM kernels
			WHERE kernels.name = whole.name AND kernels.pid = whole.pid
			ORDER BY start_ns LIMIT :first)) AS early_ns,
		(SELECT total(call_ns) FROM (
			SELECT api_end_ns - api_start_ns AS call_ns FROM kernels
			WHERE kernels.name = whole.name AND kernels.pid = whole.pid
			ORDER BY start_ns LIMIT :first)) AS early_launch_ns
	FROM whole
)
SELECT
	name AS kernel,
	pid,
	instances,
	gpu_extra + coalesce(launch_extra, 0) AS extra_ns,
	gpu_extra AS gpu_extra_ns,
	early_ns / :first AS first_ns,
	(total_ns - early_ns) / (instances - :first) AS steady_ns,
	early_launch_ns / :first AS launch_first_ns,
	(launch_ns - early_launch_ns) / (instances - :first) AS launch_steady_ns
FROM (
	SELECT
		*,
		early_ns - :first * (total_ns - early_ns) / (instances - :first) AS gpu_extra,
		early_launch_ns - :first * (launch_ns - early_launch_ns) / (instances - :first) AS launch_extra
	FROM split
)
ORDER BY extra_ns DESC, kernel, pid
