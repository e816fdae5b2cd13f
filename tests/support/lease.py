"""The text of a small lease, written for the tests."""

LEASE = """COMMERCIAL LEASE AGREEMENT

This Lease Agreement is made on 1 March 2024 between Harbour Holdings Pty Ltd (the "Lessor") and Quay Books Pty Ltd (the "Lessee").

1. Term
1.1 The term of this Lease is five (5) years from the commencement date.

2. Rent
2.1 The Lessee shall pay rent of $4,500 per month in advance on the first day of each month.
2.2 Past due amounts bear interest at eight percent (8%) per annum.

3. Termination
3.1 Either party may terminate this Lease by giving not less than ninety (90) days' written notice to the other party.
3.2 The Lessor may terminate this Lease at once if the Lessee becomes insolvent.

4. Confidentiality
4.1 Each party shall keep the terms of this Lease confidential and shall not disclose them to any third party.

5. Governing Law
5.1 This Lease is governed by and construed in accordance with the laws of New South Wales.
"""
