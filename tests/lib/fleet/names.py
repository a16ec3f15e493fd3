"""What captures of a job are called, and its nodes."""

JOB = 88213  # as Slurm numbers it

# By style what `nsys profile -o` was told, as people do.
STYLES = {
    "rank": "job_rank{rank}.sqlite",
    "node": "node{node}_rank{rank}.sqlite",
    "slurm": "train_" + str(JOB) + "_{rank}.sqlite",  # train_%q{SLURM_JOB_ID}_%q{SLURM_PROCID}
    "procid": "{host}.procid-{rank:04d}.sqlite",  # %h.procid-…
}


def host_of(node):
    return f"gpu-{node:03d}.cluster"


def file_name(style, rank, node):
    return STYLES[style].format(rank=rank, node=node, host=host_of(node).partition(".")[0])
