-- name: copies_by_range
-- summary: copies by NVTX range: direction, bytes, throughput, pinned or pageable memory
-- param: min_bytes int = 0 -- only copies at least this large
-- param: whole_path bool = false -- one row per path of ranges, not per innermost range
-- column: range name Range
-- column: copy name Copy
-- column: from_memory name From
-- column: to_memory name To
-- column: copies count Copies
-- column: bytes bytes Bytes
-- column: total_ns ns Time
-- column: throughput_bytes_per_s bytes_per_s Throughput
--
-- A copy is attributed to the innermost range that was open on the launching thread when its launch
-- call began; copies outside any NVTX range have none.
SELECT
	CASE WHEN :whole_path THEN nvtx_path ELSE range END AS range,
	name AS copy,
	src_kind AS from_memory,
	dst_kind AS to_memory,
	count(*) AS copies,
	sum(bytes) AS bytes,
	sum(duration_ns) AS total_ns,
	1e9 * sum(bytes) / nullif(sum(duration_ns), 0) AS throughput_bytes_per_s
FROM copies
WHERE type = 'memcpy' AND bytes >= :min_bytes
GROUP BY 1, 2, 3, 4
ORDER BY total_ns DESC, range, copy
