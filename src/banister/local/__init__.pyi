from .among import Mistakes as Mistakes
from .among import Ranked as Ranked
from .among import mistakes_among as mistakes_among
from .among import rank_hypotheses as rank_hypotheses
from .channels.base import Certificate as Certificate
from .channels.base import Channel as Channel
from .channels.base import Reports as Reports
from .channels.every_set import EverySet as EverySet
from .channels.hadamard import HadamardResponse as HadamardResponse
from .channels.matrix import MatrixChannel as MatrixChannel
from .channels.matrix import geometric as geometric
from .channels.matrix import quaternary as quaternary
from .channels.response import RandomizedResponse as RandomizedResponse
from .channels.subset import SubsetSelection as SubsetSelection
from .channels.unary import UnaryEncoding as UnaryEncoding
from .collect.campaign import Campaign as Campaign
from .collect.campaign import SignedCampaign as SignedCampaign
from .collect.campaign import read_campaign as read_campaign
from .collect.repeat import Repetition as Repetition
from .designing import DesignRequest as DesignRequest
from .designing import design as design
from .designs.bounds import binary_for_information as binary_for_information
from .designs.bounds import binary_for_testing as binary_for_testing
from .designs.bounds import contraction as contraction
from .designs.bounds import information_up as information_up
from .designs.bounds import kl_up as kl_up
from .designs.bounds import one_bit_information_factor as one_bit_information_factor
from .designs.bounds import one_bit_testing_factor as one_bit_testing_factor
from .designs.bounds import one_bit_threshold as one_bit_threshold
from .designs.bounds import total_variation_kept as total_variation_kept
from .designs.convex import design_convex as design_convex
from .designs.distortion import design_distortion as design_distortion
from .designs.distortion import least_mistakes as least_mistakes
from .designs.exponent import design_chernoff as design_chernoff
from .designs.information import information_cap as information_cap
from .designs.joint import JointDesign as JointDesign
from .designs.joint import design_joint as design_joint
from .designs.partition import design_bins as design_bins
from .designs.several import design_average as design_average
from .designs.several import design_robust as design_robust
from .designs.several import design_worst as design_worst
from .designs.thresholds import one_bit_information_threshold as one_bit_information_threshold
from .designs.thresholds import response_information_slope as response_information_slope
from .designs.thresholds import response_information_threshold as response_information_threshold
from .designs.thresholds import response_kl_slope as response_kl_slope
from .designs.thresholds import response_threshold as response_threshold
from .estimates import Estimate as Estimate
from .estimates import Intervals as Intervals
from .estimates import Likelihood as Likelihood
from .exponents import channel_delta as channel_delta
from .exponents import channel_level as channel_level
from .exponents import chernoff_exponent as chernoff_exponent
from .exponents import stein_exponent as stein_exponent
from .testing import Errors as Errors
from .testing import Verdict as Verdict
from .testing import errors_with as errors_with
from .testing import people_needed as people_needed
from .testing import test as test
from .utilities import Divergence as Divergence
from .utilities import hockey_stick as hockey_stick
from .utilities import power as power

__all__ = [
    "Campaign",
    "Certificate",
    "Channel",
    "DesignRequest",
    "Divergence",
    "Errors",
    "Estimate",
    "EverySet",
    "HadamardResponse",
    "Intervals",
    "JointDesign",
    "Likelihood",
    "MatrixChannel",
    "Mistakes",
    "RandomizedResponse",
    "Ranked",
    "Repetition",
    "Reports",
    "SignedCampaign",
    "SubsetSelection",
    "UnaryEncoding",
    "Verdict",
    "binary_for_information",
    "binary_for_testing",
    "channel_delta",
    "channel_level",
    "chernoff_exponent",
    "contraction",
    "design",
    "design_average",
    "design_bins",
    "design_chernoff",
    "design_convex",
    "design_distortion",
    "design_joint",
    "design_robust",
    "design_worst",
    "errors_with",
    "geometric",
    "hockey_stick",
    "information_cap",
    "information_up",
    "kl_up",
    "least_mistakes",
    "mistakes_among",
    "one_bit_information_factor",
    "one_bit_information_threshold",
    "one_bit_testing_factor",
    "one_bit_threshold",
    "people_needed",
    "power",
    "quaternary",
    "rank_hypotheses",
    "read_campaign",
    "response_information_slope",
    "response_information_threshold",
    "response_kl_slope",
    "response_threshold",
    "stein_exponent",
    "test",
    "total_variation_kept",
]
