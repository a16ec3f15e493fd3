"""The kernels that programs launch, with real names; write.py gives them what nsys records of a kernel besides."""

from fleet.template import Kernel

LAUNCH_NS, LAUNCH_NCCL_NS = 4000, 9000  # that the calls take


def compute(name):
    return Kernel("", name, name, 1, (), "cudaLaunchKernel_v7000")


def nccl(name):
    return Kernel("", name, name, 0, (), "cuLaunchKernelEx")


MATMUL = compute("nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_TNT")
ATTENTION = compute("flash_fwd_kernel")
ATTENTION_BACKWARD = compute("flash_bwd_kernel")
ELEMENTWISE = compute("vectorized_elementwise_kernel")
OPTIMIZER = compute("multi_tensor_apply_kernel")
ALL_REDUCE = nccl("ncclDevKernel_AllReduce_Sum_bf16_RING_LL")
ALL_GATHER = nccl("ncclDevKernel_AllGather_RING_LL")
REDUCE_SCATTER = nccl("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL")
SEND_RECEIVE = nccl("ncclDevKernel_SendRecv")
